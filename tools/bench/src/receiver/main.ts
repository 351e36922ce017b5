// A process of its own, so that its work is neither the service's nor the driver's.
import { serveParent } from './channel.ts';
import { createReceiver } from './counting-receiver.ts';

serveParent(createReceiver());
