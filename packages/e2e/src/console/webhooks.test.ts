// The pages of webhooks and of their callouts: these suites share an API, a worker and a browser.
import './callout.suite.ts';
import './new-webhook.suite.ts';
import './webhook-deliveries.suite.ts';
import './webhook-settings.suite.ts';
import './webhooks-list.suite.ts';
