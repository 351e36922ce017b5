import { Button, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { operations } from '@callout/domain/operations/operations';
import type { Tenant } from '../../../api/operator.ts';
import { OperationDialog } from '../operation/operation-dialog.tsx';

/** Takes everything of a tenant along, and then away. */
export default function DeleteTab({ tenant }: { readonly tenant: Tenant }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <Stack maw={640} gap="xl">
      <Stack gap="xs" align="flex-start">
        <Title order={2}>Export</Title>
        <Text>
          Everything of the tenant as JSON lines, all of one moment: records, webhooks, events, callouts with their
          bodies and attempts. Secrets are left out. Keep the file as you would keep a backup.
        </Text>
        <Button component="a" href={`/operator/v1/tenants/${tenant.id}/export`} download variant="default">
          Download the export
        </Button>
      </Stack>
      <Stack gap="xs" align="flex-start">
        <Title order={2}>Delete</Title>
        <Text>{operations.deleteTenant.description}</Text>
        <Button color="red" disabled={tenant.deletingDateTime !== null} onClick={() => setAsking(true)}>
          Delete the tenant
        </Button>
      </Stack>
      {isAsking && (
        <OperationDialog
          name="deleteTenant"
          preset={{ tenantId: tenant.id }}
          called={tenant.name}
          onClose={() => setAsking(false)}
        />
      )}
    </Stack>
  );
}
