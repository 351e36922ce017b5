import { Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { operatorList, type Tenant } from '../../../api/operator.ts';
import { tenantKey } from '../operator-queries.ts';
import { Problem } from '../../../parts/loaded.tsx';
import { type Rotation, type SigningKey, SigningKeys } from '../../../parts/signing-keys/signing-keys.tsx';

/** The key pair for signing the callouts of a tenant with Ed25519. */
export default function SigningKeysTab({ tenant }: { readonly tenant: Tenant }) {
  const queryClient = useQueryClient();
  const queryKey = [...tenantKey(tenant.id), 'webhookKeys'];
  const keys = useQuery({
    queryKey,
    queryFn: async () => (await operatorList<SigningKey>('listSigningKeys', { tenantId: tenant.id })).items,
  });
  async function rotate(rotation: Rotation): Promise<void> {
    const { items } = await operatorList<SigningKey>('rotateSigningKey', { ...rotation, tenantId: tenant.id });
    queryClient.setQueryData(queryKey, items);
  }
  if (keys.isError) return <Problem title="The keys could not be read" error={keys.error} />;
  return (
    <Stack maw={720}>
      <Text>Webhooks with the signature kind ed25519 or both are signed with the key pair of their tenant.</Text>
      {keys.data !== undefined && <SigningKeys keys={keys.data} rotate={rotate} />}
    </Stack>
  );
}
