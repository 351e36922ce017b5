import { Box, Button, CloseButton, Group, TextInput } from '@mantine/core';
import { Refusal } from '../form/refusal.tsx';
import { Section } from '../page.tsx';
import type { ReceiverDraft } from './receiver-draft.ts';
import { StoredSecretInput } from './stored-secret-input.tsx';

interface HeaderInputsProps {
  readonly headers: ReceiverDraft['headers'];
  readonly set: (headers: ReceiverDraft['headers']) => void;
  readonly error: string | undefined;
}

const mostHeaders = 20;

/** Headers that the requests of the webhook have besides those of Callout. */
export function HeaderInputs({ headers, set, error }: HeaderInputsProps) {
  const change = (key: string, part: { readonly name?: string; readonly value?: string }) =>
    set(headers.map((header) => (header.key === key ? { ...header, ...part } : header)));
  return (
    <Section title="Request headers" order={3} lead="Sent with every callout. Their values are not shown again.">
      {headers.map(({ key, name, value }, index) => (
        <Group key={key} align="flex-end" gap="xs">
          <TextInput
            flex="1 1 200px"
            label="Name"
            required
            maxLength={100}
            spellCheck={false}
            autoComplete="off"
            value={name}
            aria-label={`Name of header ${index + 1}`}
            onChange={(event) => change(key, { name: event.currentTarget.value })}
          />
          <Box flex="1 1 200px">
            <StoredSecretInput
              label={`Value of header ${index + 1}`}
              value={value}
              set={(secret) => change(key, { value: secret })}
            />
          </Box>
          <CloseButton
            aria-label={`Remove header ${index + 1}`}
            onClick={() => set(headers.filter((header) => header.key !== key))}
          />
        </Group>
      ))}
      <Refusal error={error} />
      {headers.length < mostHeaders && (
        <Button
          variant="default"
          mr="auto"
          onClick={() => set([...headers, { key: crypto.randomUUID(), name: '', value: '' }])}
        >
          Add a header
        </Button>
      )}
    </Section>
  );
}
