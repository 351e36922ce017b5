import { Group, Stack } from '@mantine/core';
import { Copy } from './copy.tsx';
import { CodeBox } from '../table/scroll-box.tsx';

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
      <CodeBox label={label}>{text}</CodeBox>
    </Stack>
  );
}
