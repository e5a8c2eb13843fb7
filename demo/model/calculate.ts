/** The value of an expression with + - * / × ÷, parentheses and signs. Throws an `Error` that says what is wrong. */
export function calculate(expression: string): number {
  const tokens = expression.match(/\d+(?:\.\d+)?|\S/g) ?? []
  let at = 0

  const sum = (): number => {
    let value = product()
    for (;;) {
      if (tokens[at] === '+') value += next(product)
      else if (tokens[at] === '-') value -= next(product)
      else return value
    }
  }
  const product = (): number => {
    let value = factor()
    for (;;) {
      if (tokens[at] === '*' || tokens[at] === '×') value *= next(factor)
      else if (tokens[at] === '/' || tokens[at] === '÷') value /= nonZero(next(factor))
      else return value
    }
  }
  const factor = (): number => {
    const token = tokens[at]
    if (token === '-') return -next(factor)
    if (token === '(') {
      const value = next(sum)
      if (tokens[at++] !== ')') throw new Error('a parenthesis is not closed')
      return value
    }
    if (token === undefined || !/^\d/.test(token)) throw new Error(`a number is missing before ${token ?? 'the end'}`)
    at++
    return Number(token)
  }
  const next = (read: () => number): number => {
    at++
    return read()
  }

  const value = sum()
  if (at < tokens.length) throw new Error(`'${tokens[at]}' is not understood`)
  return value
}

function nonZero(value: number): number {
  if (value === 0) throw new Error('division by zero')
  return value
}
