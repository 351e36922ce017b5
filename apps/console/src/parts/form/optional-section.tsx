import { Stack, Text, Title } from '@mantine/core';
import { type ReactNode, Suspense, useState } from 'react';
import { Icon } from '../icon.tsx';
import { Reading } from '../loaded.tsx';
import { Note } from '../show/fact.tsx';

interface OptionalSectionProps {
  readonly title: string;
  /** Its present values, in a line. */
  readonly summary: string;
  /** Whether these are not the usual values: such a line is not dimmed. */
  readonly isSet: boolean;
  /** A sentence above the inputs. */
  readonly lead?: ReactNode;
  /** Whether its inputs are fetched: drawn when it is opened, or at once where they are set and might be refused. */
  readonly isLazy?: boolean;
  readonly children: ReactNode;
}

/**
 * A part of a form that most people leave as it is: closed, with its present values in a line. It opens for an input that
 * the browser refuses, which could not be focused otherwise; `useFocusInvalid` opens it for what the API refuses.
 */
export function OptionalSection({ title, summary, isSet, lead, isLazy = false, children }: OptionalSectionProps) {
  const [wasOpened, setWasOpened] = useState(false);
  return (
    <details
      className="optional-section"
      onToggle={(event) => {
        if (event.currentTarget.open) setWasOpened(true);
      }}
      onInvalidCapture={(event) => {
        event.currentTarget.open = true;
      }}
    >
      <summary>
        <Icon of="chevronRight" />
        <Title order={2} size="md" fw={600}>
          {title}
        </Title>
        <Note span className="break-anywhere" c={isSet ? 'inherit' : 'dimmed'}>
          {summary}
        </Note>
      </summary>
      <Stack gap="sm" className="optional-inputs">
        {lead !== undefined && <Text c="dimmed">{lead}</Text>}
        {(!isLazy || isSet || wasOpened) && <Suspense fallback={<Reading label={title} />}>{children}</Suspense>}
      </Stack>
    </details>
  );
}
