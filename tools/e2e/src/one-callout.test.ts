// Tests of a running Callout with its usual settings: these suites share an API and a worker. The first compares their
// output about one event.
import './watching/alerts-and-dashboard.suite.ts';
import './watching/metrics-in-docs.suite.ts';
import './watching/untraced.suite.ts';
import './client-library/client.suite.ts';
import './receiver-library/readme-examples.suite.ts';
import './documents/code-blocks.suite.ts';
import './merging.suite.ts';
