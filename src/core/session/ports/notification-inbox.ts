// The notifications that sessions have to receive. See `SessionStore` for the contract of every port.

import type { JsonValue } from "../../canon/value.js";
import type { Refused } from "./session-store.js";
import type { Kept, Taken } from "./run-store.js";

/** A notification as it is enqueued. */
export interface NewNotification {
  readonly notificationId: string;
  /** Unique within its namespace, permanently. */
  readonly idempotencyKey: string;
  readonly ownerNamespace: string;
  readonly sessionKey: string;
  /** The run of kind `notification` that delivers it, unless another turn takes it first. */
  readonly runId: string;
  readonly taskIds: readonly string[];
  readonly input: JsonValue;
}

/** A notification as it is stored. */
export interface NotificationRecord extends NewNotification {
  readonly status: "pending" | "acked" | "cancelled";
  /** The run that delivered it. */
  readonly deliveredBy?: string;
  /** Increases with each notification of the store. */
  readonly order: number;
}

/** The inbox of sessions. */
export interface NotificationInbox {
  getByRunId(runId: string): Promise<NotificationRecord | null>;
  /** Sorted by `order`. */
  listPending(ownerNamespace: string, sessionKey: string): Promise<readonly NotificationRecord[]>;
  enqueue(notification: NewNotification): Promise<Kept<NotificationRecord> | Taken<NotificationRecord>>;
  /** Only a pending notification can be settled. */
  settle(
    notificationId: string,
    change: { readonly status: "acked"; readonly deliveredBy: string } | { readonly status: "cancelled" },
  ): Promise<{ readonly ok: true } | Refused<"settled" | "not-found", NotificationRecord>>;
}
