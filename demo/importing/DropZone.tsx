import { useEffect, useState } from 'react'
import { createPortal } from 'react-dom'

/** The whole page takes files that are dropped on it, and says so while they hover. */
export function DropZone({ onDrop }: { onDrop: (files: readonly File[]) => void }) {
  const [hovering, setHovering] = useState(false)
  useEffect(() => {
    const over = (event: DragEvent): void => {
      if (!event.dataTransfer?.types.includes('Files')) return
      // Else the browser would open the file in place of the page.
      event.preventDefault()
      setHovering(true)
    }
    const leave = ({ relatedTarget }: DragEvent): void => void (relatedTarget === null && setHovering(false))
    const drop = (event: DragEvent): void => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      setHovering(false)
      onDrop([...event.dataTransfer.files])
    }
    addEventListener('dragover', over)
    addEventListener('dragleave', leave)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragover', over)
      removeEventListener('dragleave', leave)
      removeEventListener('drop', drop)
    }
  }, [onDrop])
  return hovering && createPortal(<p className="drop-zone">Drop session files to import them</p>, document.body)
}
