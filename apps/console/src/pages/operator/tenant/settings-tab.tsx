import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { operate, type Tenant } from '../../../api/operator.ts';
import { ZoneSelect } from '../zone-select.tsx';
import { inputsOf, submitting, useDraft } from '../../../parts/form/form.ts';
import { LimitInput } from '../../../parts/form/limit-input.tsx';
import { Problem } from '../../../parts/loaded.tsx';

/** Name, zone and limits of a tenant. They count from the next request on. */
export default function SettingsTab({ tenant }: { readonly tenant: Tenant }) {
  const { name, zoneID, calloutThreshold, apiRequestsPerHour } = tenant;
  const [draft, set] = useDraft({ name, zoneID, calloutThreshold, apiRequestsPerHour });
  const save = useMutation({
    mutationFn: () => operate<Tenant>('PATCH', `/tenants/${tenant.id}`, { ...draft, name: draft.name.trim() }),
    meta: { changes: ['operator'], done: 'The settings are saved.' },
  });
  const input = inputsOf(draft, set, save.error);
  return (
    <form onSubmit={submitting(() => save.mutate())}>
      <Stack maw={480}>
        <TextInput label="Name" required {...input.text('name')} />
        <ZoneSelect {...input.value('zoneID')} />
        <LimitInput
          label="Callouts an hour"
          description="For each entity; what is above it is held and goes out later"
          {...input.value('calloutThreshold')}
        />
        <LimitInput
          label="API requests an hour"
          description="All its credentials together; above it requests are answered 429"
          {...input.value('apiRequestsPerHour')}
        />
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
