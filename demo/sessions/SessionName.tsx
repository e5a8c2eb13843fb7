/** A name in one line. When it is cut, the number that tells it from others stays. */
export function SessionName({ name }: { name: string }) {
  const [number = ''] = / \(\d+\)$/.exec(name) ?? []
  return (
    <span className="session-name">
      <span>{name.slice(0, name.length - number.length)}</span>
      {number}
    </span>
  )
}
