import { Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useId } from 'react';

interface PageProps {
  readonly title: string;
  /** A sentence below the title. */
  readonly lead?: ReactNode;
  /** Buttons beside the title. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** What every page has: a title, which is the title of the tab too, and what can be done. */
export function Page({ title, lead, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Callout`;
  }, [title]);
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start">
        <Stack gap={4}>
          <Title order={1} className="break-anywhere">
            {title}
          </Title>
          {lead !== undefined && <Text c="dimmed">{lead}</Text>}
        </Stack>
        {actions !== undefined && <Group className="no-print">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}

interface SectionProps {
  readonly title: string;
  /** A sentence below the title. */
  readonly lead?: ReactNode;
  /** Of the heading: 2 unless it is part of another section. */
  readonly order?: 2 | 3 | undefined;
  readonly children: ReactNode;
}

/** A part of a page with a heading of its own. */
export function Section({ title, lead, order = 2, children }: SectionProps) {
  const id = useId();
  return (
    <Stack component="section" gap="sm" aria-labelledby={id}>
      <div>
        <Title order={order} id={id}>
          {title}
        </Title>
        {lead !== undefined && <Text c="dimmed">{lead}</Text>}
      </div>
      {children}
    </Stack>
  );
}
