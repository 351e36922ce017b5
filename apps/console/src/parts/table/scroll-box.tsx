import { Code } from '@mantine/core';
import type { CSSProperties, ReactNode } from 'react';

interface TableBoxProps {
  /** Pixels; in a narrower place it scrolls, and a shadow shows that there is more. */
  readonly minWidth: number;
  readonly children: ReactNode;
}

/** Scrolls a table that is wider than the screen, and leaves the page as it is. */
export function TableBox({ minWidth, children }: TableBoxProps) {
  return (
    <div className="table-box">
      <div style={{ '--table-min-width': `${minWidth}px` } as CSSProperties}>{children}</div>
    </div>
  );
}

interface CodeBoxProps {
  /** What it is, for readers of the screen. */
  readonly label: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A long text as it is, which scrolls within itself, by keyboard too. */
export function CodeBox({ label, className = '', children }: CodeBoxProps) {
  // Reached by keyboard, and so with a role and a name.
  const scrolled = { tabIndex: 0, role: 'region', 'aria-label': label };
  return (
    <Code block className={`code-box ${className}`} {...scrolled}>
      {children}
    </Code>
  );
}
