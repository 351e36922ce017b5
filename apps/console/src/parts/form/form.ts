import { ApiError } from '@callout/client';
import { type ChangeEvent, type FormEvent, type RefObject, useEffect, useRef, useState } from 'react';

/** The sentences of a refused request that are about one input, by the names that the API has for it. */
export function errorsAt(error: unknown, ...fields: readonly string[]): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const isAbout = (at: string | undefined) =>
    fields.some((field) => at === field || at?.startsWith(`${field}[`) || at?.startsWith(`${field}.`));
  const ofInput = error.details.filter((detail) => isAbout(detail.field));
  return ofInput.length === 0 ? undefined : ofInput.map(({ message }) => message).join(' ');
}

/** The names of the values of one type. */
type NamesOf<Values, Type> = { [Name in keyof Values]: Values[Name] extends Type ? Name : never }[keyof Values] &
  string;

/**
 * The props of the inputs of a form, by the name of the value that each is for.
 * @param set changes some of the values.
 * @param error the refusal of the API, whose sentences stand at the inputs that they are about.
 */
export function inputsOf<Values extends object>(
  values: Values,
  set: (change: Partial<Values>) => void,
  error: unknown,
) {
  const change = (name: string, value: unknown) => set({ [name]: value } as Partial<Values>);
  return {
    /** Of a text input, or a list of the browser. */
    text: <Name extends NamesOf<Values, string>>(name: Name) => ({
      value: values[name],
      onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>) =>
        change(name, event.currentTarget.value),
      error: errorsAt(error, name),
    }),
    /** Of a checkbox or a switch. */
    check: <Name extends NamesOf<Values, boolean>>(name: Name) => ({
      checked: values[name],
      onChange: (event: ChangeEvent<HTMLInputElement>) => change(name, event.currentTarget.checked),
      error: errorsAt(error, name),
    }),
    /** Of an input that reports its value. */
    value: <Name extends keyof Values & string>(name: Name) => ({
      value: values[name],
      onChange: (value: Values[Name] | null) => change(name, value),
      error: errorsAt(error, name),
    }),
  };
}

/** The values of a form. @returns them, how to change some of them, and how to begin anew. */
export function useDraft<Values extends object>(
  begin: Values,
): [draft: Values, set: (change: Partial<Values>) => void, reset: () => void] {
  const [draft, setDraft] = useState(begin);
  return [draft, (change) => setDraft((before) => ({ ...before, ...change })), () => setDraft(begin)];
}

/** What an input that was refused has, or what says so in place of an input of several parts. */
const refused = '[aria-invalid="true"], [data-is-refusal]';

/**
 * Opens the sections of the inputs that were refused, brings the first of them into the middle of the screen and focuses
 * it; where the refusal is about none, what says so is brought there.
 * @param error the refusal; each new one moves the focus once.
 * @returns for the form.
 */
export function useFocusInvalid(error: unknown): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error === null || error === undefined) return;
    const inputs = [...(form.current?.querySelectorAll<HTMLElement>(refused) ?? [])];
    for (const section of inputs.map((input) => input.closest('details'))) {
      if (section !== null) section.open = true;
    }
    const shown = inputs[0] ?? form.current?.querySelector<HTMLElement>('[data-is-problem]');
    shown?.focus({ preventScroll: true });
    shown?.scrollIntoView({ block: 'center' });
  }, [error]);
  return form;
}

/**
 * Handles the submission of a form: what it does, in place of a request of the browser. React passes on the submission of
 * a dialog to the form that opened the dialog, which is not submitted by that.
 */
export function submitting(act: () => void): (event: FormEvent) => void {
  return (event) => {
    event.preventDefault();
    if (event.target === event.currentTarget) act();
  };
}
