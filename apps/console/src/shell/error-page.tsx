import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { Problem } from '../parts/loaded.tsx';

/** Shown in place of a page that could not be drawn. */
export function ErrorPage({ error }: ErrorComponentProps) {
  const router = useRouter();
  return <Problem title="This page could not be shown" error={error} retry={() => void router.invalidate()} />;
}
