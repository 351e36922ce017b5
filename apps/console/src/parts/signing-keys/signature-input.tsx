import { NativeSelect } from '@mantine/core';

const kinds = {
  hmac: { label: 'With the secret', sentence: 'HMAC: the receiver has the secret, and could sign as well.' },
  ed25519: {
    label: 'With a key pair',
    sentence: 'Ed25519: the receiver has a public key, and only Callout can sign. X-Hook-Signature is not sent.',
  },
  both: { label: 'With both', sentence: 'While a receiver changes over from the secret to the public key.' },
} as const;

export type SignatureKind = keyof typeof kinds;

const choices = Object.entries(kinds).map(([value, { label }]) => ({ value, label }));

interface SignatureInputProps {
  readonly value: SignatureKind;
  readonly set: (kind: SignatureKind) => void;
  readonly disabled?: boolean;
  readonly error?: string | undefined;
}

/** How callouts are signed. */
export function SignatureInput({ value, set, ...others }: SignatureInputProps) {
  return (
    <NativeSelect
      label="Sign callouts"
      description={kinds[value].sentence}
      value={value}
      data={choices}
      onChange={(event) => set(event.currentTarget.value as SignatureKind)}
      {...others}
    />
  );
}
