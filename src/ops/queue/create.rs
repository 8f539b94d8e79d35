//! Creating queues.

use crate::model::{Queue, QueueDecision, QueueId, Uid};
use crate::store::{StoreError, Tx};

/// Creates an active queue.
pub(crate) fn create(
    tx: &mut Tx<'_>,
    name: Option<String>,
    priority: i64,
    nonce: &Uid,
) -> Result<QueueId, StoreError> {
    let now = tx.stamper().now();
    let id = QueueId::made(now, &Uid::from_content(&[now.to_string().as_bytes(), nonce.as_str().as_bytes()]));
    let status = QueueDecision::Active;
    tx.create_queue(&Queue { id: id.clone(), created_at: now, name, status, priority })?;
    Ok(id)
}
