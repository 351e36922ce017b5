import { Center, Paper } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { identityOf, type Session, sessionQuery } from '../api/session.ts';
import { forgetSecrets } from '../parts/secret/new-secrets.ts';
import { SignInForm } from './sign-in-form.tsx';

/** Asks to sign in again while the page waits, unseen, with what was typed there. Another person does not get to see it. */
export default function SessionEnded({ session }: { readonly session: Session }) {
  const queryClient = useQueryClient();
  function goOn(next: Session): void {
    if (identityOf(session) === identityOf(next)) {
      // What was refused meanwhile is asked for again.
      void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
      return;
    }
    forgetSecrets();
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
  }
  return (
    <Center mih="100vh" p="md" component="main" bg="var(--console-quiet)" className="session-ended">
      <Paper withBorder p="xl" w={400} maw="100%">
        <SignInForm
          title="Your session has ended"
          lead="Sign in again to go on where you were: what you have typed is kept."
          onSignedIn={goOn}
        />
      </Paper>
    </Center>
  );
}
