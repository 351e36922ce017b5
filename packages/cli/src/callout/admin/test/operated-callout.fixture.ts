import { type CalloutUnderTest, forThisFile, useCallout } from '@callout/testing';

const OPERATOR_TOKEN = 'the-operator-token-of-these-tests';

/** For the tests of a file: an installation of their own, and the settings by which commands find its operator API. */
export function useOperatedCallout(): { readonly callout: CalloutUnderTest; readonly env: Record<string, string> } {
  const callout = useCallout({ OPERATOR_TOKEN, OPERATOR_PORT: '0', RETRY_SCHEDULE: '10ms' });
  return forThisFile(
    async () => ({ callout, env: { OPERATOR_TOKEN, CALLOUT_OPERATOR_URL: callout.operatorUrl() } }),
    async () => undefined,
  );
}
