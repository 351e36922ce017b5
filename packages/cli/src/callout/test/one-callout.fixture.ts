import { useCallout } from '@callout/testing';

/** The API and the worker of the test file that imports this, for all of its suites. */
export const callout = useCallout({ RETRY_SCHEDULE: '10ms,10ms,10ms' });
