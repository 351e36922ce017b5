import { lazy, Suspense, useSyncExternalStore } from 'react';

/** A sentence that comes up in a corner and goes again. */
export interface Notice {
  readonly title?: string | null;
  readonly message: string;
  readonly color?: 'green' | 'yellow' | 'red';
  /** False: it stays until it is closed. */
  readonly autoClose?: boolean;
}

// What shows notices is fetched with the first one: most pages are opened and left without any.
const NoticeList = lazy(() => import('./notice-list.tsx'));
const listeners = new Set<() => void>();
let isWanted = false;

/** Says that something was done, or was not. */
export function notify(notice: Notice): void {
  isWanted = true;
  for (const listener of listeners) listener();
  void import('./notice-list.tsx').then(({ show }) => show(notice));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Where notices come up: once, around all pages. */
export function Notices() {
  const isShown = useSyncExternalStore(subscribe, () => isWanted);
  return isShown ? (
    <Suspense fallback={null}>
      <NoticeList />
    </Suspense>
  ) : null;
}
