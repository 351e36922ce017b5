import { Checkbox, Select, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type Parameter, wordsOf } from '@callout/domain/operations/operation';
import { operatorPages, type Tenant, type Values } from '../../../api/operator.ts';
import { errorsAt } from '../../../parts/form/form.ts';
import { LimitInput } from '../../../parts/form/limit-input.tsx';
import { credentialsQuery, resourcesQuery } from '../operator-queries.ts';
import { ZoneSelect } from '../zone-select.tsx';

interface OperationFieldsProps {
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly draft: Values;
  readonly set: (change: Values) => void;
  /** The refusal of the API, whose sentences stand at the inputs by name. */
  readonly error: unknown;
}

/** An input for each parameter of an operation, with the sentence of the parameter. */
export function OperationFields({ parameters, draft, set, error }: OperationFieldsProps) {
  return Object.entries(parameters).map(([name, parameter], index) => (
    <Field
      key={name}
      name={name}
      parameter={parameter}
      draft={draft}
      set={(value) => set({ [name]: value })}
      error={errorsAt(error, name)}
      isFirst={index === 0}
    />
  ));
}

interface FieldProps {
  readonly name: string;
  readonly parameter: Parameter;
  readonly draft: Values;
  readonly set: (value: Values[string]) => void;
  readonly error: string | undefined;
  readonly isFirst: boolean;
}

function Field({ name, parameter, draft, set, error, isFirst }: FieldProps) {
  const { kind, description, isOptional, mayBeEmpty, choices } = parameter;
  const value = draft[name];
  const label = labelOf(name);
  const common = { label, description, error };
  const isRequired = isOptional !== true;
  if (kind === 'flag') {
    return <Checkbox {...common} checked={value === true} onChange={(event) => set(event.currentTarget.checked)} />;
  }
  const number = typeof value === 'number' ? value : null;
  if (kind === 'perHour') return <LimitInput {...common} value={number} onChange={set} />;
  if (kind === 'zone') return <ZoneSelect value={number} onChange={set} error={error} />;
  if (kind === 'tenant' || kind === 'resource' || kind === 'credential') {
    return <Chosen {...common} kind={kind} tenantId={Number(draft['tenantId'])} value={number} onChange={set} />;
  }
  if (kind === 'choice') {
    return (
      <Select
        {...common}
        required={isRequired}
        allowDeselect={!isRequired}
        data={Object.entries(choices ?? {}).map(([word, meaning]) => ({ value: word, label: `${word}: ${meaning}` }))}
        value={typeof value === 'string' ? value : null}
        onChange={set}
      />
    );
  }
  return (
    <TextInput
      {...common}
      {...(isFirst && { 'data-autofocus': true })}
      required={isRequired && mayBeEmpty !== true}
      type={kind === 'secret' ? 'password' : 'text'}
      autoComplete="off"
      value={String(value ?? '')}
      onChange={(event) => set(event.currentTarget.value)}
    />
  );
}

interface ChosenProps {
  readonly kind: 'tenant' | 'resource' | 'credential';
  readonly tenantId: number;
  readonly label: string;
  readonly description: string;
  readonly error: string | undefined;
  readonly value: number | null;
  readonly onChange: (value: number | null) => void;
}

/** A tenant, or a resource or credential of the chosen tenant. */
function Chosen({ kind, tenantId, value, onChange, ...common }: ChosenProps) {
  const hasTenant = tenantId > 0;
  const tenants = useInfiniteQuery({
    ...operatorPages<Tenant>(['tenants', 'all'], 'listTenants', { limit: 500 }),
    enabled: kind === 'tenant',
  });
  const resources = useInfiniteQuery({ ...resourcesQuery(tenantId), enabled: kind === 'resource' && hasTenant });
  const credentials = useInfiniteQuery({ ...credentialsQuery(tenantId), enabled: kind === 'credential' && hasTenant });
  const pages = {
    tenant: tenants.data?.pages.flatMap(({ items }) => items.map(({ id, name }) => ({ id, name }))),
    resource: resources.data?.pages.flatMap(({ items }) => items.map(({ id, email }) => ({ id, name: email }))),
    credential: credentials.data?.pages.flatMap(({ items }) =>
      items.map(({ id, userName }) => ({ id, name: userName })),
    ),
  };
  const data = (pages[kind] ?? []).map(({ id, name }) => ({ value: String(id), label: `${name} (${id})` }));
  return (
    <Select
      {...common}
      required
      searchable
      data={data}
      value={value === null ? null : String(value)}
      onChange={(next) => onChange(next === null ? null : Number(next))}
    />
  );
}

/** The words of a parameter, as a label. */
export function labelOf(name: string): string {
  const words = wordsOf(name)
    .replace(/\burl\b/u, 'URL')
    .replace(/\bguid\b/u, 'GUID');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
