import { useNavigate, useSearch } from '@tanstack/react-router';

/** A parameter of the address: empty when it is not there. Setting it makes no entry in the history. */
export function useSearchParam(name: string): [value: string, set: (value: string) => void] {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const navigate = useNavigate();
  const value = search[name];
  return [
    typeof value === 'string' || typeof value === 'number' ? String(value) : '',
    (next) =>
      void navigate({
        to: '.',
        search: (before: object) => ({ ...before, [name]: next === '' ? undefined : next }),
        replace: true,
      }),
  ];
}
