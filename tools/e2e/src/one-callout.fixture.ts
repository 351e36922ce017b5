import { useCallout } from '@callout/testing';

/** Of the operator API. */
export const operatorToken = 'the-token-of-the-operators-of-this-test';

/** The API and the worker of the test file that imports this, for all of its suites: each test makes a tenant of its own. */
export const callout = useCallout({ OPERATOR_TOKEN: operatorToken, OPERATOR_PORT: '0' });
