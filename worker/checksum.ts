/** CRC-32 (the IEEE polynomial), eight tables deep. */

const TABLES = makeTables()

export function crc32(bytes: Uint8Array): number {
  const [t0, t1, t2, t3, t4, t5, t6, t7] = TABLES as [T, T, T, T, T, T, T, T]
  let crc = ~0
  let at = 0
  for (const end = bytes.length - 7; at < end; at += 8) {
    crc ^= bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
    crc =
      t7[crc & 255]! ^
      t6[(crc >>> 8) & 255]! ^
      t5[(crc >>> 16) & 255]! ^
      t4[crc >>> 24]! ^
      t3[bytes[at + 4]!]! ^
      t2[bytes[at + 5]!]! ^
      t1[bytes[at + 6]!]! ^
      t0[bytes[at + 7]!]!
  }
  for (; at < bytes.length; at++) crc = (crc >>> 8) ^ t0[(crc ^ bytes[at]!) & 255]!
  return ~crc >>> 0
}

type T = Int32Array

function makeTables(): T[] {
  const tables = Array.from({ length: 8 }, () => new Int32Array(256))
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
    tables[0]![byte] = crc
  }
  for (let depth = 1; depth < 8; depth++) {
    for (let byte = 0; byte < 256; byte++) {
      const before = tables[depth - 1]![byte]!
      tables[depth]![byte] = (before >>> 8) ^ tables[0]![before & 255]!
    }
  }
  return tables
}
