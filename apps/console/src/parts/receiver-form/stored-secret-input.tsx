import { Button, Group, Input, PasswordInput, Text, Textarea } from '@mantine/core';
import { secretMask } from './receiver-draft.ts';

interface StoredSecretInputProps {
  readonly label: string;
  readonly description?: string | undefined;
  /** Of several lines. */
  readonly isLong?: boolean;
  /** The mask: one is stored, and stays. */
  readonly value: string;
  readonly set: (value: string) => void;
}

/** A secret that can be set and replaced, and is never shown. */
export function StoredSecretInput({ label, description, isLong = false, value, set }: StoredSecretInputProps) {
  if (value === secretMask) {
    return (
      <Input.Wrapper label={label} labelElement="div">
        <Group gap="xs">
          <Text>Stored</Text>
          <Button size="compact-xs" variant="default" aria-label={`Replace ${label}`} onClick={() => set('')}>
            Replace
          </Button>
        </Group>
      </Input.Wrapper>
    );
  }
  const props = { label, description, value, required: true, spellCheck: false, autoComplete: 'off' };
  return isLong ? (
    <Textarea {...props} autosize minRows={3} maxRows={10} onChange={(event) => set(event.currentTarget.value)} />
  ) : (
    <PasswordInput {...props} autoComplete="new-password" onChange={(event) => set(event.currentTarget.value)} />
  );
}
