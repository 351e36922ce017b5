import { Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { operateOnList, operatorList, type Tenant } from '../../../api/operator.ts';
import { tenantKey } from '../operator-queries.ts';
import { Problem } from '../../../parts/loaded.tsx';
import { type Rotation, type SigningKey, SigningKeys } from '../../../parts/signing-keys/signing-keys.tsx';

/** The key pair that signs the callouts of a tenant with Ed25519. */
export default function SigningKeysTab({ tenant }: { readonly tenant: Tenant }) {
  const queryClient = useQueryClient();
  const path = `/tenants/${tenant.id}/webhookKeys`;
  const queryKey = [...tenantKey(tenant.id), 'webhookKeys'];
  const keys = useQuery({ queryKey, queryFn: async () => (await operatorList<SigningKey>(path)).items });
  async function rotate(rotation: Rotation): Promise<void> {
    queryClient.setQueryData(queryKey, await operateOnList<SigningKey>('POST', `${path}/rotate`, rotation));
  }
  if (keys.isError) return <Problem title="The keys could not be read" error={keys.error} />;
  return (
    <Stack maw={720}>
      <Text>Webhooks with the signature kind ed25519 or both are signed with the key pair of their tenant.</Text>
      {keys.data !== undefined && <SigningKeys keys={keys.data} rotate={rotate} />}
    </Stack>
  );
}
