import { Center, Paper } from '@mantine/core';
import { SignInForm } from './sign-in-form.tsx';

/** The page of one who is not signed in. */
export default function SignInPage() {
  return (
    <Center mih="100vh" p="md" component="main" className="sign-in">
      <Paper withBorder p="xl" w={400} maw="100%">
        <SignInForm title="Sign in to Callout" />
      </Paper>
    </Center>
  );
}
