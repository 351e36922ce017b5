import { Button, Group, Stack } from '@mantine/core';
import { operations } from '@callout/domain/operations/operations';
import type { Tenant, Values } from '../../../api/operator.ts';
import { submitting, useDraft } from '../../../parts/form/form.ts';
import { Problem } from '../../../parts/loaded.tsx';
import { notify } from '../../../parts/notify.tsx';
import { OperationFields } from '../operation/operation-fields.tsx';
import { useOperation } from '../operation/use-operation.ts';

/** Name, zone and limits of a tenant. Changes count from the next request on. */
export default function SettingsTab({ tenant }: { readonly tenant: Tenant }) {
  const { id: tenantId, name, zoneID, calloutThreshold, apiRequestsPerHour } = tenant;
  const [draft, set] = useDraft<Values>({ name, zoneID, calloutThreshold, apiRequestsPerHour });
  const save = useOperation('updateTenant', () => notify({ message: 'The settings are saved.' }), true);
  const body = { ...draft, name: String(draft['name']).trim() };
  return (
    <form onSubmit={submitting(() => save.mutate({ ...body, tenantId }))}>
      <Stack maw={480}>
        <OperationFields parameters={operations.updateTenant.body ?? {}} draft={draft} set={set} error={save.error} />
        {save.isError && <Problem title="The settings were not saved" error={save.error} />}
        <Group>
          <Button type="submit" loading={save.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
