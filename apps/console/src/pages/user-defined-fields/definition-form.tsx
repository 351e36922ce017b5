import { Select, Textarea, TextInput } from '@mantine/core';
import { api } from '../../api/client.ts';
import { entityOfType } from '../../api/entities.ts';
import { aboutDefinition, dataTypes, entityTypes, newDefinition, type StoredDefinition } from './definitions-query.ts';
import { valuesOfText } from './list-values.ts';
import { inputsOf } from '../../parts/form/form.ts';
import { useVersionedForm } from '../../parts/versions/use-versioned-form.tsx';
import { Dialog } from '../../parts/window/dialog.tsx';

interface DefinitionFormProps {
  /** Undefined: a new field. */
  readonly stored: StoredDefinition | undefined;
  /** The entity of a new field. */
  readonly entityType: string | undefined;
  readonly onClose: () => void;
}

/** Makes or changes a user-defined field. Entity and type cannot be changed. */
export function DefinitionForm({ stored, entityType = 'Account', onClose }: DefinitionFormProps) {
  const { draft, set, save, met } = useVersionedForm({
    ...aboutDefinition,
    present: stored ?? newDefinition(entityType),
    write(header, { name, label, dataType, listValues, ...values }) {
      const settings = {
        name,
        label: label === '' ? name : label,
        ...(dataType === 'list' && { listValues: valuesOfText(listValues) }),
      };
      const path = '/v1.0/UserDefinedFieldDefinitions';
      if (stored === undefined) return api.POST(path, { body: { ...settings, ...values, dataType } as never });
      return api.PATCH(`${path}/{id}`, { params: { path: { id: stored.id }, header }, body: settings as never });
    },
    onSuccess: onClose,
    meta: { done: 'The field is saved.' },
  });
  const input = inputsOf(draft, set, save.error);
  return (
    <Dialog
      title={stored === undefined ? 'New user-defined field' : `Change ${stored.values.name}`}
      action={stored === undefined ? 'Make the field' : 'Save'}
      isOpen
      onClose={onClose}
      mutation={save}
    >
      <Select
        label="Entity"
        data={entityTypes.map((type) => ({ value: type, label: entityOfType(type)?.label ?? type }))}
        allowDeselect={false}
        disabled={stored !== undefined}
        {...input.value('entityType')}
      />
      <TextInput label="Name" required data-autofocus maxLength={255} {...input.text('name')} />
      <TextInput
        label="Label"
        description="The key in callouts, exactly so; the name when it is left out"
        maxLength={255}
        {...input.text('label')}
      />
      <Select
        label="Type"
        data={[...dataTypes]}
        allowDeselect={false}
        disabled={stored !== undefined}
        {...(stored !== undefined && { description: 'It cannot be changed: make another field instead' })}
        {...input.value('dataType')}
      />
      {draft.dataType === 'list' && (
        <Textarea
          label="Values"
          description="One per line: the whole number that records hold, then what people see, such as 1 Gold"
          required
          autosize
          minRows={3}
          maxRows={12}
          {...input.text('listValues')}
        />
      )}
      {met}
    </Dialog>
  );
}
