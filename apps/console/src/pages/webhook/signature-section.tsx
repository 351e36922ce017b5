import { Button, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { type WebhookAddress, webhookParams, webhookPath } from '../../api/entities.ts';
import { useMember } from '../../api/session.ts';
import { keyOf, webhookQuery } from '../../api/webhook.ts';
import { Problem } from '../../parts/loaded.tsx';
import { Section } from '../../parts/page.tsx';
import { Copy } from '../../parts/show/code.tsx';
import { Fact } from '../../parts/show/fact.tsx';
import { SignatureInput, type SignatureKind } from '../../parts/signing-keys/signature-input.tsx';
import { type Rotation, SigningKeys } from '../../parts/signing-keys/signing-keys.tsx';

/** What a receiver must be able to do before the signature is changed. */
const consequences: Readonly<Record<SignatureKind, string>> = {
  hmac: 'From the next attempt on, callouts are signed with the secret alone: the receiver must verify with it.',
  ed25519:
    'From the next attempt on, callouts are signed with the key pair alone: a receiver that verifies with the secret refuses them. Choose both while it changes over.',
  both: 'From the next attempt on, callouts have both signatures: a receiver can verify either of them.',
};

/** How the callouts of a webhook are signed, and the public keys for its receiver. */
export function SignatureSection({ address }: { readonly address: WebhookAddress }) {
  const { data: webhook } = useQuery(webhookQuery(address));
  const change = useMutation({
    mutationFn: (signatureKind: SignatureKind) =>
      api.PATCH(webhookPath(address, ''), { params: webhookParams(address), body: { signatureKind } }),
    meta: { changes: keyOf(address), done: 'The signature is changed.' },
  });
  const [chosen, setChosen] = useState<SignatureKind>();
  if (webhook === undefined) return null;
  const kind = webhook.signatureKind ?? 'hmac';
  const isChanged = chosen !== undefined && chosen !== kind;
  return (
    <Section title="Signature">
      <SignatureInput value={chosen ?? kind} set={setChosen} disabled={change.isPending} />
      {isChanged && (
        <>
          <Text>{consequences[chosen]}</Text>
          <Button mr="auto" loading={change.isPending} onClick={() => change.mutate(chosen)}>
            Change the signature
          </Button>
        </>
      )}
      {change.isError && <Problem title="The signature was not changed" error={change.error} />}
      {kind !== 'hmac' && <KeysOf publicKey={webhook.signingPublicKey ?? ''} url={webhook.signingKeysUrl ?? ''} />}
    </Section>
  );
}

/** Admins see all keys and may replace them; a portal has those of its webhook. */
function KeysOf({ publicKey, url }: { readonly publicKey: string; readonly url: string }) {
  const member = useMember();
  const queryClient = useQueryClient();
  const isAdmin = member?.kind === 'user' && member.role === 'admin';
  const keys = useQuery({
    queryKey: ['signingKeys'],
    queryFn: async () => (await api.GET('/v1.0/WebhookKeys')).data.items,
    enabled: isAdmin,
  });
  async function rotate(body: Rotation): Promise<void> {
    const { data } = await api.POST('/v1.0/WebhookKeys/rotate', { body });
    queryClient.setQueryData(['signingKeys'], data.items);
    await queryClient.invalidateQueries({ queryKey: ['webhook'] });
  }
  if (isAdmin && keys.data !== undefined) {
    return (
      <Stack>
        <Text>All webhooks of the tenant share one key pair.</Text>
        <SigningKeys keys={keys.data} rotate={rotate} />
      </Stack>
    );
  }
  return (
    <Stack>
      <Fact label="Public key">
        <code>{publicKey}</code> <Copy value={publicKey} label="Copy the key" />
      </Fact>
      <Fact label="Where receivers read it, and the one before a rotation">
        <code>{url}</code> <Copy value={url} label="Copy the address" />
      </Fact>
    </Stack>
  );
}
