import { Alert, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import type { WebhookAddress } from '../../../api/entities.ts';
import { useMember } from '../../../api/session.ts';
import { webhookQuery } from '../../../api/webhook.ts';
import { Copy } from '../../../parts/show/code.tsx';
import { Fact } from '../../../parts/show/fact.tsx';
import type { WebhookSettings } from '../../../parts/settings-form/form-settings.ts';
import { type Rotation, SigningKeys } from '../../../parts/signing-keys/signing-keys.tsx';

/** What a receiver must be able to do before the signature is changed. */
const consequences: Readonly<Record<WebhookSettings['signatureKind'], string>> = {
  hmac: 'From the next attempt on, callouts are signed with the secret alone: the receiver must verify with it.',
  ed25519:
    'From the next attempt on, callouts are signed with the key pair alone: a receiver that verifies with the secret refuses them. Choose both while it changes over.',
  both: 'From the next attempt on, callouts have both signatures: a receiver can verify either of them.',
};

interface SignatureKeysProps {
  readonly address: WebhookAddress;
  readonly chosen: WebhookSettings['signatureKind'];
}

/** What another signature means for the receiver, and the public keys of the present signature. */
export default function SignatureKeys({ address, chosen }: SignatureKeysProps) {
  const { data: webhook } = useQuery(webhookQuery(address));
  if (webhook === undefined) return null;
  const { signatureKind: stored = 'hmac', signingPublicKey, signingKeysUrl } = webhook;
  return (
    <>
      {chosen !== stored && <Alert color="yellow">{consequences[chosen]}</Alert>}
      {stored !== 'hmac' && <PublicKeys publicKey={signingPublicKey ?? ''} url={signingKeysUrl ?? ''} />}
    </>
  );
}

/** Admins see and may replace all keys; a portal has the keys of the webhook. */
function PublicKeys({ publicKey, url }: { readonly publicKey: string; readonly url: string }) {
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
