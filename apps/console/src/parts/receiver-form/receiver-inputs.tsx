import { Textarea } from '@mantine/core';
import { errorsAt } from '../form/form.ts';
import { Section } from '../page.tsx';
import { AuthInputs } from './auth-inputs.tsx';
import { HeaderInputs } from './header-inputs.tsx';
import type { ReceiverDraft } from './receiver-draft.ts';

interface ReceiverInputsProps {
  readonly draft: ReceiverDraft;
  /** What the API has: secrets of the same kind can be kept. */
  readonly stored: ReceiverDraft;
  readonly set: (change: Partial<ReceiverDraft>) => void;
  /** Of the request that was refused. */
  readonly error: unknown;
}

/** What the calls of a webhook carry beside the signature, and which authorities its receiver is trusted by. */
export default function ReceiverInputs({ draft, stored, set, error }: ReceiverInputsProps) {
  return (
    <>
      <AuthInputs
        auth={draft.auth}
        stored={stored.auth}
        set={(auth) => set({ auth })}
        error={errorsAt(error, 'receiverAuth')}
      />
      <HeaderInputs
        headers={draft.headers}
        set={(headers) => set({ headers })}
        error={errorsAt(error, 'requestHeaders')}
      />
      <Section title="Private certificate authority" order={3}>
        <Textarea
          label="Certificates (PEM)"
          description="Trusted in place of the public authorities; empty: the public ones"
          autosize
          minRows={3}
          maxRows={12}
          spellCheck={false}
          value={draft.caCertificate}
          error={errorsAt(error, 'caCertificate')}
          onChange={(event) => set({ caCertificate: event.currentTarget.value })}
        />
      </Section>
    </>
  );
}
