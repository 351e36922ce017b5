import { Button, Group, TextInput } from '@mantine/core';
import { Copy } from '../show/code.tsx';

/** A secret with 256 bits of chance, in the form of Standard Webhooks. */
export function generateSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return `whsec_${btoa(String.fromCodePoint(...bytes))}`;
}

interface SecretInputProps {
  readonly label: string;
  readonly value: string;
  readonly set: (secret: string) => void;
  readonly error?: string | undefined;
}

/** A secret of the person's own or a generated one; it is shown, since nothing shows it again. */
export function SecretInput({ label, value, set, error }: SecretInputProps) {
  return (
    <Group align="flex-end" gap="xs">
      <TextInput
        flex="1 1 260px"
        label={label}
        description="Signs every callout. It is not shown again: copy it into your receiver"
        required
        maxLength={64}
        autoComplete="off"
        spellCheck={false}
        value={value}
        error={error}
        onChange={(event) => set(event.currentTarget.value)}
      />
      <Button variant="default" onClick={() => set(generateSecret())}>
        Generate
      </Button>
      {value !== '' && <Copy value={value} label="Copy" size="sm" />}
    </Group>
  );
}
