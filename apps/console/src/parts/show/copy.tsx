import { Button, CopyButton } from '@mantine/core';

interface CopyProps {
  readonly value: string;
  readonly label: string;
  /** As tall as the inputs beside it; small unless given. */
  readonly size?: 'compact-xs' | 'sm';
}

/** Copies a text, and says that it did. */
export function Copy({ value, label, size = 'compact-xs' }: CopyProps) {
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Button size={size} variant="default" onClick={copy} className="no-print" aria-live="polite">
          {copied ? 'Copied' : label}
        </Button>
      )}
    </CopyButton>
  );
}
