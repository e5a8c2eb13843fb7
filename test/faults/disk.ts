/** A disk whose power can be cut: what its image file holds at that moment is what is left. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'

const SIZE = '1G'

export class Disk {
  private constructor(
    private readonly image: string,
    /** Where it is mounted. */
    readonly folder: string,
  ) {
    mkdirSync(folder)
    run('mount', '-o', 'loop', image, folder)
  }

  /** An empty one, which goes with the test. */
  static make(): Disk {
    const home = mkdtempSync(join(realpathSync(tmpdir()), 'idb-sessions-disk-'))
    const image = join(home, 'image')
    onTestFinished(() => rmSync(home, { recursive: true, force: true }))
    run('truncate', '-s', SIZE, image)
    run('mkfs.ext4', '-q', '-F', image)
    return Disk.#mount(image, join(home, 'before'))
  }

  /** The disk as it is found when the power is back. Nobody may be writing now. */
  cut(): Disk {
    const copy = `${this.image}-cut`
    run('cp', '--sparse=always', this.image, copy)
    return Disk.#mount(copy, join(this.folder, '../after'))
  }

  async unmount(): Promise<void> {
    // A process that was killed may hold it for a moment.
    await vi.waitFor(() => this.#unmount(), { timeout: 20_000, interval: 100 })
  }

  #unmount(): void {
    if (spawnSync('mountpoint', ['-q', this.folder]).status === 0) run('umount', this.folder)
  }

  static #mount(image: string, folder: string): Disk {
    const disk = new Disk(image, folder)
    // Last in, first out: before the folder is removed.
    onTestFinished(() => disk.unmount())
    return disk
  }
}

/** Undefined when disks can be made here, else what is missing. */
export function whyNoDisk(): string | undefined {
  if (process.platform !== 'linux') return 'needs Linux'
  if (process.getuid?.() !== 0) return 'needs root'
  if (!existsSync('/dev/loop-control')) return 'needs /dev/loop*'
  const folder = mkdtempSync(join(tmpdir(), 'idb-sessions-mount-'))
  // Root in a container may be forbidden to mount.
  const { status } = spawnSync('mount', ['-t', 'tmpfs', 'none', folder], { stdio: 'ignore' })
  if (status === 0) run('umount', folder)
  rmSync(folder, { recursive: true })
  return status === 0 ? undefined : 'needs the right to mount'
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] })
}
