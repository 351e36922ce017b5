import { Button, CopyButton } from '@mantine/core';

interface CopyProps {
  readonly value: string;
  readonly label: string;
}

/** Copies a text, and says that it did. */
export function Copy({ value, label }: CopyProps) {
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Button size="compact-xs" variant="default" onClick={copy} className="no-print" aria-live="polite">
          {copied ? 'Copied' : label}
        </Button>
      )}
    </CopyButton>
  );
}
