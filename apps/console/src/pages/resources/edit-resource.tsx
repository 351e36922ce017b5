import { Alert, Button, Group, Stack, Switch, TextInput } from '@mantine/core';
import { Modal } from '../../parts/window/modal.tsx';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { errorsAt } from '../../parts/form/field-errors.ts';
import { notify } from '../../parts/notify.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Reading } from '../../parts/reading.tsx';
import { DeleteResource } from './delete-resource.tsx';
import { nameOf, type Resource } from './resources-query.ts';

interface EditResourceProps {
  readonly id: number;
  /** The resource that the session is of. */
  readonly isOwn: boolean;
  readonly onClose: () => void;
}

/** Changes a resource, or deletes it. */
export function EditResource({ id, isOwn, onClose }: EditResourceProps) {
  const resource = useQuery({
    queryKey: ['resources', id],
    queryFn: async () => (await api.GET('/v1.0/Resources/{id}', { params: { path: { id } } })).data?.item ?? null,
  });
  return (
    <Modal opened onClose={onClose} title={resource.data ? nameOf(resource.data) : `Resource ${id}`}>
      {resource.isError && <Problem title="The resource could not be read" error={resource.error} />}
      {resource.isPending && <Reading label="the resource" />}
      {resource.data && (
        <Stack>
          <Form key={id} stored={resource.data} isOwn={isOwn} onClose={onClose} />
          <DeleteResource id={id} name={nameOf(resource.data)} isOwn={isOwn} onDeleted={onClose} />
        </Stack>
      )}
    </Modal>
  );
}

const inputs = [
  { name: 'firstName', label: 'First name' },
  { name: 'lastName', label: 'Last name' },
  { name: 'email', label: 'Mail address', description: 'Mail about its webhooks goes here.' },
  { name: 'title', label: 'Title' },
] as const;

interface FormProps extends Pick<EditResourceProps, 'isOwn' | 'onClose'> {
  readonly stored: Resource;
}

function Form({ stored, isOwn, onClose }: FormProps) {
  const [draft, setDraft] = useState<Partial<Resource>>({});
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: async () => {
      const path = { id: Number(stored.id) };
      return (await api.PATCH('/v1.0/Resources/{id}', { params: { path }, body: draft as never })).data?.warnings ?? [];
    },
    onSuccess: async (warnings) => {
      onClose();
      notify({ message: 'The resource is saved.' });
      for (const warning of warnings) notify({ message: warning, color: 'yellow', autoClose: false });
      await queryClient.invalidateQueries({ queryKey: ['resources'] });
    },
  });
  const isDeactivated = stored.isActive === true && draft.isActive === false;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Stack>
        {inputs.map(({ name, ...rest }) => (
          <TextInput
            key={name}
            {...rest}
            value={draft[name] ?? stored[name] ?? ''}
            onChange={({ currentTarget: { value } }) => setDraft((before) => ({ ...before, [name]: value }))}
            error={errorsAt(save.error, name)}
          />
        ))}
        <Switch
          label="Active"
          checked={draft.isActive ?? stored.isActive ?? false}
          onChange={({ currentTarget: { checked } }) => setDraft((before) => ({ ...before, isActive: checked }))}
        />
        {isDeactivated && (
          <Alert color="yellow" title={isOwn ? 'This ends your own access' : 'What this ends'}>
            Its credentials are refused from the next request on, and the webhooks that it owns become inactive.
          </Alert>
        )}
        {save.isError && <Problem title="The resource was not saved" error={save.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            loading={save.isPending}
            disabled={Object.keys(draft).length === 0}
            {...(isDeactivated && { color: 'red' })}
          >
            {isDeactivated ? 'Save and deactivate' : 'Save'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
