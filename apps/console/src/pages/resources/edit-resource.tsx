import { Alert, Button, Group, Stack, Switch, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { nameOf, type Resource } from './resources-query.ts';
import { inputsOf, submitting, useDraft } from '../../parts/form/form.ts';
import { Loaded, Problem } from '../../parts/loaded.tsx';
import { notifyWarnings } from '../../parts/notify.tsx';
import { Modal } from '../../parts/window/modal.tsx';

interface EditResourceProps {
  readonly id: number;
  /** The resource that the session is of. */
  readonly isOwn: boolean;
  readonly onClose: () => void;
}

const whatEnds = 'Its credentials are refused from the next request on, and the webhooks that it owns become inactive.';

/** Changes a resource, or deletes it. */
export function EditResource({ id, isOwn, onClose }: EditResourceProps) {
  const resource = useQuery({
    queryKey: ['resources', id],
    queryFn: async () => (await api.GET('/v1.0/Resources/{id}', { params: { path: { id } } })).data.item,
  });
  return (
    <Modal opened onClose={onClose} title={resource.data ? nameOf(resource.data) : `Resource ${id}`}>
      <Loaded query={resource} label="the resource">
        {(stored) => (
          <Stack>
            <Form key={id} stored={stored} isOwn={isOwn} onClose={onClose} />
            <DeleteResource id={id} name={nameOf(stored)} isOwn={isOwn} onClose={onClose} />
          </Stack>
        )}
      </Loaded>
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
  const begin = {
    firstName: stored.firstName ?? '',
    lastName: stored.lastName ?? '',
    email: stored.email ?? '',
    title: stored.title ?? '',
    isActive: stored.isActive ?? false,
  };
  const [draft, set] = useDraft(begin);
  const changes = Object.entries(draft).filter(([name, value]) => value !== begin[name as keyof typeof begin]);
  const save = useMutation({
    mutationFn: async () => {
      const body = Object.fromEntries(changes) as never;
      return (await api.PATCH('/v1.0/Resources/{id}', { params: { path: { id: Number(stored.id) } }, body })).data
        .warnings;
    },
    onSuccess(warnings) {
      onClose();
      notifyWarnings(warnings ?? []);
    },
    meta: { changes: ['resources'], done: 'The resource is saved.' },
  });
  const input = inputsOf(draft, set, save.error);
  const isDeactivated = begin.isActive && !draft.isActive;
  return (
    <form onSubmit={submitting(() => save.mutate())}>
      <Stack>
        {inputs.map(({ name, ...rest }) => (
          <TextInput key={name} {...rest} {...input.text(name)} />
        ))}
        <Switch label="Active" {...input.check('isActive')} />
        {isDeactivated && (
          <Alert color="yellow" title={isOwn ? 'This ends your own access' : 'What this ends'}>
            {whatEnds}
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
            disabled={changes.length === 0}
            {...(isDeactivated && { color: 'red' })}
          >
            {isDeactivated ? 'Save and deactivate' : 'Save'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Deletes a resource, after showing what is deleted with it. */
function DeleteResource({ id, isOwn, onClose, name }: EditResourceProps & { readonly name: string }) {
  const [isAsked, setIsAsked] = useState(false);
  const remove = useMutation({
    mutationFn: () => api.DELETE('/v1.0/Resources/{id}', { params: { path: { id } } }),
    onSuccess: onClose,
    meta: { changes: ['resources'], done: `${name} is deleted.` },
  });
  if (!isAsked) {
    return (
      <Button variant="subtle" color="red" size="compact-sm" mr="auto" onClick={() => setIsAsked(true)}>
        Delete this resource
      </Button>
    );
  }
  return (
    <Alert color="red" title={isOwn ? 'This ends your own access, for good' : `Delete ${name} for good?`}>
      <Stack gap="xs">
        {whatEnds}
        {remove.isError && <Problem title="The resource was not deleted" error={remove.error} />}
        <Group>
          <Button size="xs" variant="default" onClick={() => setIsAsked(false)}>
            Keep it
          </Button>
          <Button size="xs" color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
            Delete it
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
