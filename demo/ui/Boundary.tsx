import { Component, type ReactNode } from 'react'

interface BoundaryProps {
  /** Shown instead of the children when they cannot be shown. */
  fallback: ReactNode
  children: ReactNode
}

/**
 * Keeps the page alive when a session cannot be shown: the store checks a file's events, but what their data says
 * belongs to the application that wrote it.
 */
export class Boundary extends Component<BoundaryProps, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true }
  }

  override render(): ReactNode {
    return this.state.failed ? this.props.fallback : this.props.children
  }
}
