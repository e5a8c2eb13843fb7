import { memo, type ReactNode } from 'react'
import { lexer, type MarkedToken, type Token } from 'marked'

/** Quotes in quotes in quotes; what is deeper is shown as it was written. */
const MAX_DEPTH = 20

/**
 * Text of a model, with its headings, lists and code. The parser only tells what is what, and React makes the elements:
 * there is no HTML at any point, so markup in the text is shown as the text that it is, and nothing is fetched.
 */
export function Markdown({ text }: { text: string }) {
  return (
    <div className="markdown">
      {parse(text).map((token, i) => (
        <TopBlock key={i} token={token} />
      ))}
    </div>
  )
}

/** While an answer streams, only its last block changes. */
const TopBlock = memo(
  ({ token }: { token: Token }) => render(token, 0),
  (a, b) => a.token.type === b.token.type && a.token.raw === b.token.raw,
)

function parse(text: string): Token[] {
  try {
    return lexer(text)
  } catch {
    return [{ type: 'html', raw: text, text }]
  }
}

function render(generic: Token, depth: number): ReactNode {
  // Nothing extends the parser, so these are all there are.
  const token = generic as MarkedToken
  const inside = (tokens: Token[] | undefined): ReactNode =>
    depth < MAX_DEPTH ? tokens?.map((token, i) => <Inner key={i} token={token} depth={depth + 1} />) : token.raw
  switch (token.type) {
    case 'paragraph':
      return <p>{inside(token.tokens)}</p>
    case 'heading': {
      // Below the title of the session.
      const Heading = `h${Math.min(token.depth + 1, 6)}` as 'h2'
      return <Heading>{inside(token.tokens)}</Heading>
    }
    case 'list': {
      const items = token.items.map((item, i) => <li key={i}>{inside(item.tokens)}</li>)
      return token.ordered ? <ol start={Number(token.start)}>{items}</ol> : <ul>{items}</ul>
    }
    case 'checkbox':
      return <input type="checkbox" checked={token.checked} readOnly disabled />
    case 'blockquote':
      return <blockquote>{inside(token.tokens)}</blockquote>
    case 'code':
      return (
        <pre>
          <code>{token.text}</code>
        </pre>
      )
    case 'table':
      return (
        <table>
          <thead>
            <tr>
              {token.header.map((cell, i) => (
                <th key={i}>{inside(cell.tokens)}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {token.rows.map((row, i) => (
              <tr key={i}>
                {row.map((cell, j) => (
                  <td key={j}>{inside(cell.tokens)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )
    case 'hr':
      return <hr />
    case 'strong':
      return <strong>{inside(token.tokens)}</strong>
    case 'em':
      return <em>{inside(token.tokens)}</em>
    case 'del':
      return <del>{inside(token.tokens)}</del>
    case 'codespan':
      return <code>{token.text}</code>
    case 'br':
      return <br />
    case 'link':
      return <Link href={token.href}>{inside(token.tokens)}</Link>
    case 'image':
      // Not loaded: that would tell its server who reads this.
      return <Link href={token.href}>{token.text || token.href}</Link>
    case 'text':
      return token.tokens ? inside(token.tokens) : token.text
    case 'escape':
      return token.text
    case 'html':
      return token.raw
    default:
      // Blank lines, and where a link leads.
      return null
  }
}

function Inner({ token, depth }: { token: Token; depth: number }): ReactNode {
  return render(token, depth)
}

/** Leads out of this page, or nowhere. */
function Link({ href, children }: { href: string; children: ReactNode }) {
  if (!/^(https?|mailto):/i.test(href)) return children
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}
