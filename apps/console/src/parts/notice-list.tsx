import '@mantine/notifications/styles.layer.css';
import { type NotificationData, Notifications, notifications } from '@mantine/notifications';

/** A sentence that comes up in a corner and goes again. */
export type Notice = Pick<NotificationData, 'title' | 'message' | 'color' | 'autoClose'>;

/** Adds a notice to the shown ones. */
export const show = (notice: Notice): void => void notifications.show(notice);

/** All notices, newest first. */
export default function NoticeList() {
  return <Notifications position="top-right" />;
}
