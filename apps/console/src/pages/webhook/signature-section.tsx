import { Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { pathOf } from '../../api/entities.ts';
import { sessionQuery } from '../../api/session.ts';
import { Problem } from '../../parts/problem.tsx';
import { SignatureInput, type SignatureKind } from '../../parts/signing-keys/signature-input.tsx';
import { SigningKeys, type Rotation } from '../../parts/signing-keys/signing-keys.tsx';
import { Copy } from '../../parts/show/copy.tsx';
import { Fact } from '../../parts/show/fact.tsx';
import { keyOf, webhookQuery, type WebhookAddress } from './webhook-queries.ts';

/** How the callouts of a webhook are signed, and the public keys for its receiver. */
export function SignatureSection({ address }: { readonly address: WebhookAddress }) {
  const queryClient = useQueryClient();
  const { data: webhook } = useQuery(webhookQuery(address));
  const change = useMutation({
    mutationFn: async (signatureKind: SignatureKind) => {
      const path = pathOf(address.entity.collection, '/v1.0/CompanyWebhooks/{id}');
      await api.PATCH(path, { params: { path: { id: address.id } }, body: { signatureKind } });
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keyOf(address) }),
  });
  if (webhook === undefined) return null;
  const kind = webhook.signatureKind ?? 'hmac';
  return (
    <Stack>
      <Title order={3} size="h4">
        Signature
      </Title>
      <SignatureInput value={kind} set={change.mutate} disabled={change.isPending} />
      {change.isError && <Problem title="The signature was not changed" error={change.error} />}
      {kind !== 'hmac' && <KeysOf publicKey={webhook.signingPublicKey ?? ''} url={webhook.signingKeysUrl ?? ''} />}
    </Stack>
  );
}

/** Admins see all keys and may replace them; a portal has those of its webhook. */
function KeysOf({ publicKey, url }: { readonly publicKey: string; readonly url: string }) {
  const { data: session } = useQuery(sessionQuery);
  const queryClient = useQueryClient();
  const isAdmin = session?.kind === 'user' && session.role === 'admin';
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
        <Text size="sm">All webhooks of the tenant share one key pair.</Text>
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
