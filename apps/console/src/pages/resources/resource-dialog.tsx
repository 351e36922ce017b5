import { Alert, Button, Group, Stack, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { newResource, type StoredResource } from './resources-query.ts';
import { inputsOf } from '../../parts/form/form.ts';
import { Problem } from '../../parts/loaded.tsx';
import { notifyWarnings } from '../../parts/notify.tsx';
import { useVersionedDelete, useVersionedForm } from '../../parts/versions/use-versioned-form.tsx';
import { Dialog } from '../../parts/window/dialog.tsx';

/** What the API wants to know of staff besides, and Callout makes no use of. */
const unused = { resourceType: 'Employee', userType: 1, licenseType: 1, locationID: 1 } as const;
const whatEnds = 'Its credentials are refused from the next request on, and the webhooks that it owns become inactive.';

const about = {
  what: 'resource',
  labels: {
    firstName: 'First name',
    lastName: 'Last name',
    email: 'Mail address',
    userName: 'User name',
    title: 'Title',
    isActive: 'Active',
  },
  changes: ['resources'],
};
const inputs = [
  { name: 'firstName', maxLength: 50 },
  { name: 'lastName', maxLength: 50 },
  { name: 'email', maxLength: 254, description: 'Mail about its webhooks goes here.' },
] as const;
const ofNew = { name: 'userName', maxLength: 32, description: 'What it is called in the product.' } as const;

interface ResourceDialogProps {
  /** Undefined: a new resource, which signs in once an operator has issued a credential. */
  readonly stored: StoredResource | undefined;
  /** Whether the session belongs to the resource. */
  readonly isOwn: boolean;
  readonly onClose: () => void;
}

/** Creates, changes or deletes a resource. */
export function ResourceDialog({ stored, isOwn, onClose }: ResourceDialogProps) {
  const { draft, set, changes, save, met } = useVersionedForm({
    ...about,
    present: stored ?? newResource,
    write: (header, { title: _later, ...values }, body) =>
      stored === undefined
        ? api.POST('/v1.0/Resources', { body: { ...values, ...unused } })
        : api.PATCH('/v1.0/Resources/{id}', { params: { path: { id: stored.id }, header }, body: body as never }),
    onSuccess({ data: { warnings } }) {
      onClose();
      notifyWarnings(warnings ?? []);
    },
    meta: { done: stored === undefined ? 'The resource is created.' : 'The resource is saved.' },
  });
  const input = inputsOf(draft, set, save.error);
  const isDeactivated = stored?.values.isActive === true && !draft.isActive;
  const isNew = stored === undefined;
  return (
    <Dialog
      title={stored?.name ?? 'New resource'}
      isOpen
      onClose={onClose}
      action={isNew ? 'Create the resource' : isDeactivated ? 'Save and deactivate' : 'Save'}
      isDangerous={isDeactivated}
      isDisabled={Object.keys(changes).length === 0}
      mutation={save}
    >
      {[...inputs, ...(isNew ? [ofNew] : [])].map(({ name, ...rest }) => (
        <TextInput key={name} label={about.labels[name]} {...rest} required={isNew} {...input.text(name)} />
      ))}
      {!isNew && <TextInput label="Title" {...input.text('title')} />}
      <Switch label="Active" {...input.check('isActive')} />
      {isDeactivated && (
        <Alert color="yellow" title={isOwn ? 'This ends your own access' : 'What this ends'}>
          {whatEnds}
        </Alert>
      )}
      {met}
      {stored && <DeleteResource stored={stored} isOwn={isOwn} onClose={onClose} />}
    </Dialog>
  );
}

/** Deletes a resource, after showing the consequences. */
function DeleteResource({ stored, isOwn, onClose }: ResourceDialogProps & { readonly stored: StoredResource }) {
  const [isAsked, setIsAsked] = useState(false);
  const { id, name } = stored;
  const remove = useVersionedDelete({
    ...about,
    present: stored,
    write: (header) => api.DELETE('/v1.0/Resources/{id}', { params: { path: { id }, header } }),
    onSuccess: onClose,
    meta: { done: `${name} is deleted.` },
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
        {remove.met}
        {remove.error && <Problem title="The resource was not deleted" error={remove.error} />}
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
