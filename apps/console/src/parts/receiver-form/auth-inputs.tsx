import { Select, Text, Textarea, TextInput } from '@mantine/core';
import { Section } from '../page.tsx';
import { type AuthDraft, type AuthKind, authKinds } from './receiver-draft.ts';
import { StoredSecretInput } from './stored-secret-input.tsx';

interface AuthInputsProps {
  readonly auth: AuthDraft;
  /** What the API has: secrets of the same kind can be kept. */
  readonly stored: AuthDraft;
  readonly set: (auth: AuthDraft) => void;
  readonly error: string | undefined;
}

export const kindLabels: Readonly<Record<AuthKind, string>> = {
  none: 'None: the signature is enough',
  basic: 'User name and password (Basic)',
  bearer: 'Token (Bearer)',
  oauth2: 'OAuth 2.0 client credentials',
  mtls: 'Client certificate (mutual TLS)',
};

interface Input {
  readonly key: string;
  readonly label: string;
  readonly description?: string;
  readonly type?: 'secret' | 'pem' | 'secretPem';
  readonly isOptional?: boolean;
}

const inputs: Readonly<Record<AuthKind, readonly Input[]>> = {
  none: [],
  basic: [
    { key: 'userName', label: 'User name' },
    { key: 'password', label: 'Password', type: 'secret' },
  ],
  bearer: [{ key: 'token', label: 'Token', type: 'secret' }],
  oauth2: [
    { key: 'tokenUrl', label: 'Token URL' },
    { key: 'clientId', label: 'Client id' },
    { key: 'clientSecret', label: 'Client secret', type: 'secret' },
    { key: 'scope', label: 'Scope', isOptional: true },
    { key: 'audience', label: 'Audience', isOptional: true },
    {
      key: 'tokenCaCertificate',
      label: 'Certificate authority of the token URL (PEM)',
      description: 'Empty: the public ones',
      type: 'pem',
      isOptional: true,
    },
  ],
  mtls: [
    { key: 'certificate', label: 'Certificate (PEM)', description: 'Followed by those above it', type: 'pem' },
    { key: 'privateKey', label: 'Private key (PEM)', description: 'Without a passphrase', type: 'secretPem' },
  ],
};

/** How Callout proves to the receiver who it is. */
export function AuthInputs({ auth, stored, set, error }: AuthInputsProps) {
  const { kind } = auth;
  const change = (key: string) => (value: string) => set({ ...auth, [key]: value });
  return (
    <Section title="Authentication at the receiver" order={3}>
      <Select
        label="Kind"
        allowDeselect={false}
        value={kind}
        error={error}
        data={authKinds.map((value) => ({ value, label: kindLabels[value] }))}
        onChange={(value) => {
          const chosen = value ?? 'none';
          set(chosen === stored.kind ? stored : { kind: chosen });
        }}
      />
      {inputs[kind].map((input) => (
        <AuthInput key={`${kind} ${input.key}`} input={input} value={auth[input.key] ?? ''} set={change(input.key)} />
      ))}
      {kind === 'oauth2' && (
        <Select
          label="The token URL gets the secret"
          allowDeselect={false}
          value={auth['clientAuthentication'] ?? 'client_secret_basic'}
          data={[
            { value: 'client_secret_basic', label: 'in a header (client_secret_basic)' },
            { value: 'client_secret_post', label: 'in the body (client_secret_post)' },
          ]}
          onChange={(value) => change('clientAuthentication')(value ?? '')}
        />
      )}
      {auth['certificateExpiresAt'] !== undefined && auth['certificate'] === stored['certificate'] && (
        <Text>The certificate expires on {auth['certificateExpiresAt'].slice(0, 10)}.</Text>
      )}
    </Section>
  );
}

interface AuthInputProps {
  readonly input: Input;
  readonly value: string;
  readonly set: (value: string) => void;
}

function AuthInput({ input, value, set }: AuthInputProps) {
  const { label, description, type, isOptional } = input;
  if (type === 'secret' || type === 'secretPem') {
    return (
      <StoredSecretInput
        label={label}
        description={description}
        isLong={type === 'secretPem'}
        value={value}
        set={set}
      />
    );
  }
  const props = { label, description, value, required: isOptional !== true, spellCheck: false, autoComplete: 'off' };
  return type === 'pem' ? (
    <Textarea {...props} autosize minRows={3} maxRows={10} onChange={(event) => set(event.currentTarget.value)} />
  ) : (
    <TextInput {...props} onChange={(event) => set(event.currentTarget.value)} />
  );
}
