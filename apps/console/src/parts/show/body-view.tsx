import { Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Copy } from './copy.tsx';
import { CodeBox } from '../table/scroll-box.tsx';

/** More than this is cut: a browser stands still while it lays out a megabyte of text. */
const mostShown = 100_000;

interface BodyViewProps {
  /** Exactly as it was sent or received. It is shown as text, whatever it is. */
  readonly text: string;
  readonly label: string;
}

/** A body, pretty-printed when it is JSON, or raw. */
export function BodyView({ text, label }: BodyViewProps) {
  const pretty = prettyOf(text);
  const [mode, setMode] = useState<'pretty' | 'raw'>('pretty');
  const shown = mode === 'pretty' && pretty !== null ? pretty : text;
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text size="sm" fw={600}>
          {label}
        </Text>
        <Group gap="xs" className="no-print">
          {pretty !== null && (
            <SegmentedControl
              size="xs"
              value={mode}
              onChange={(value) => setMode(value === 'raw' ? 'raw' : 'pretty')}
              data={[
                { value: 'pretty', label: 'Pretty' },
                { value: 'raw', label: 'Raw' },
              ]}
              aria-label={`How ${label} is shown`}
            />
          )}
          <Copy value={text} label="Copy" />
        </Group>
      </Group>
      <CodeBox label={label} className="break-anywhere">
        {shown === '' ? '(empty)' : shown.slice(0, mostShown)}
      </CodeBox>
      {shown.length > mostShown && (
        <Text size="xs" c="dimmed">
          The first {mostShown.toLocaleString()} of {shown.length.toLocaleString()} characters. Copy takes all of them.
        </Text>
      )}
    </Stack>
  );
}

function prettyOf(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return null;
  }
}
