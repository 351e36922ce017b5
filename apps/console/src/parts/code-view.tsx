import { Code, Group, ScrollArea, Stack } from '@mantine/core';
import { Copy } from './copy.tsx';

interface CodeViewProps {
  readonly text: string;
  /** What it is, for readers of the screen and on the button that copies it. */
  readonly label: string;
}

/** A program to be copied. */
export function CodeView({ text, label }: CodeViewProps) {
  return (
    <Stack gap="xs">
      <Group>
        <Copy value={text} label={`Copy the ${label}`} />
      </Group>
      <ScrollArea.Autosize mah={420} type="auto" viewportProps={{ tabIndex: 0, 'aria-label': label, role: 'region' }}>
        <Code block>{text}</Code>
      </ScrollArea.Autosize>
    </Stack>
  );
}
