import { Button, CopyButton, Group, SegmentedControl, Stack, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { Note } from './fact.tsx';
import { CodeBox } from '../table/scroll-box.tsx';

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

/** More than this is cut: a browser stands still while it lays out a megabyte of text. */
const mostShown = 100_000;

interface BodyViewProps {
  /** Exactly as it was sent or received. It is shown as text, whatever it is. */
  readonly text: string;
  readonly label: string;
}

/** A body, pretty-printed when it is JSON, or raw; or a program. */
export function BodyView({ text, label }: BodyViewProps) {
  const pretty = prettyOf(text);
  const [mode, setMode] = useState<'pretty' | 'raw'>('pretty');
  const shown = mode === 'pretty' && pretty !== null ? pretty : text;
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text fw={600}>{label}</Text>
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
        <Note>
          The first {mostShown.toLocaleString()} of {shown.length.toLocaleString()} characters. Copy takes all of them.
        </Note>
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

/** Headers of a request or an answer. */
export function HeadersTable({ headers }: { readonly headers: Readonly<Record<string, string>> }) {
  return (
    <Table withRowBorders={false} verticalSpacing={2} aria-label="Headers">
      <Table.Tbody>
        {Object.entries(headers).map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" w={200} fw={500}>
              {name}
            </Table.Th>
            <Table.Td className="break-anywhere">{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
