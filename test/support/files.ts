/** Files to import, whole and in pieces. */
import { end, fileOf, log, start, user } from '../log/support.js'

/** Pieces of `size` bytes. */
export function streamOf(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.byteLength) return controller.close()
      controller.enqueue(bytes.subarray(at, (at += size)))
    },
  })
}

/** A file of more than `WRITE_BUDGET`, so that parts of it are stored before its end is seen. */
export function large(...last: (object | string)[]): Uint8Array {
  const turns = Array.from({ length: 600 }, (_, i) => [start(i + 1), user('x'.repeat(5000)), end(i + 1)])
  return fileOf([...log(...turns), ...last])
}
