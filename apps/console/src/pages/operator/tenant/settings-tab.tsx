import { Button, Group, Stack, Switch, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { operate, type Tenant } from '../../../api/operator.ts';
import { errorsAt } from '../../../parts/form/field-errors.ts';
import { LimitInput } from '../../../parts/form/limit-input.tsx';
import { notify } from '../../../parts/notify.tsx';
import { Problem } from '../../../parts/problem.tsx';
import { ZoneSelect } from '../zone-select.tsx';

/** Name, zone and limits of a tenant. They count from the next request on. */
export default function SettingsTab({ tenant }: { readonly tenant: Tenant }) {
  const queryClient = useQueryClient();
  const [name, setName] = useState(tenant.name);
  const [zoneID, setZoneID] = useState<number | null>(tenant.zoneID);
  const [calloutThreshold, setCalloutThreshold] = useState(tenant.calloutThreshold);
  const [thresholdMode, setThresholdMode] = useState(tenant.thresholdMode);
  const [apiRequestsPerHour, setApiRequestsPerHour] = useState(tenant.apiRequestsPerHour);
  const save = useMutation({
    mutationFn: () =>
      operate<Tenant>('PATCH', `/tenants/${tenant.id}`, {
        name: name.trim(),
        ...(zoneID !== null && { zoneID }),
        calloutThreshold,
        thresholdMode,
        apiRequestsPerHour,
      }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['operator'] });
      notify({ message: 'The settings are saved.' });
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Stack maw={480}>
        <TextInput
          label="Name"
          required
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={errorsAt(save.error, 'name')}
        />
        <ZoneSelect value={zoneID} onChange={setZoneID} error={errorsAt(save.error, 'zoneID')} />
        <LimitInput
          label="Callouts an hour"
          description="For each entity; what is above it is held and goes out later"
          value={calloutThreshold}
          onChange={setCalloutThreshold}
          error={errorsAt(save.error, 'calloutThreshold')}
        />
        <Switch
          label="Spread the last quarter"
          description="When three quarters of the callouts of an hour are used, the rest goes out evenly over what remains of it"
          checked={thresholdMode === 'spread'}
          onChange={(event) => setThresholdMode(event.currentTarget.checked ? 'spread' : 'hold')}
        />
        <LimitInput
          label="API requests an hour"
          description="All its credentials together; above it requests are answered 429"
          value={apiRequestsPerHour}
          onChange={setApiRequestsPerHour}
          error={errorsAt(save.error, 'apiRequestsPerHour')}
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
