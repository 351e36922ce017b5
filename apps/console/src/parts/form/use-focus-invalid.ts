import { useEffect, useRef, type RefObject } from 'react';

/**
 * Brings the first input that was refused into the middle of the screen and focuses it; where the refusal is about none,
 * what says so is brought there.
 * @param error the refusal; each new one moves the focus once.
 * @returns for the form.
 */
export function useFocusInvalid(error: unknown): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error === null || error === undefined) return;
    const input = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    const shown = input ?? form.current?.querySelector<HTMLElement>('[role="alert"]');
    input?.focus({ preventScroll: true });
    shown?.scrollIntoView({ block: 'center' });
  }, [error]);
  return form;
}
