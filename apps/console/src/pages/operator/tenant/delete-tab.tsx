import { Button, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { operate, type Tenant } from '../../../api/operator.ts';
import { Dialog } from '../../../parts/window/dialog.tsx';

/** Takes everything of a tenant along, and then away. */
export default function DeleteTab({ tenant }: { readonly tenant: Tenant }) {
  const [isAsking, setAsking] = useState(false);
  const [typed, setTyped] = useState('');
  const remove = useMutation({
    mutationFn: () => operate<Tenant>('DELETE', `/tenants/${tenant.id}?${new URLSearchParams({ name: typed })}`),
    onSuccess: () => setAsking(false),
    meta: { changes: ['operator'] },
  });
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
        <Text>
          Its credentials are refused at once, and workers erase all it has. What is open is not sent, and no receiver
          is notified. There is no way back.
        </Text>
        <Button color="red" disabled={tenant.deletingDateTime !== null} onClick={() => setAsking(true)}>
          Delete the tenant
        </Button>
      </Stack>
      <Dialog
        title="Delete the tenant"
        action="Delete everything of it"
        isDangerous
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        isDisabled={typed !== tenant.name}
        mutation={remove}
      >
        <Text className="break-anywhere">
          All records, events, callouts, webhooks, resources and credentials of <b>{tenant.name}</b> are erased for
          good. Type its name to confirm.
        </Text>
        <TextInput
          data-autofocus
          label="Name of the tenant"
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </Dialog>
    </Stack>
  );
}
