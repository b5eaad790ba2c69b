"""Where rows land: staged, gated, published; the ledger beside them; and SQL over both.

    <home>/warehouse/
      staging/<run_id>/<table>.parquet          a batch that nobody reads yet
      quarantine/<run_id>/                      a batch that its gates refused, with gate_report.json
      releases/r000001/<table>.parquet          one published version, never changed; releases.parquet is its own row
      ledger/<table>/<run_id>/part-*.parquet    what happened, appended as it happens
      catalogue.duckdb                          views over the current release and the ledger, for any SQL client

The API:

    warehouse.store.Warehouse(home)
      .append_ledger(table, rows, run_id)       one part per call; the same rows twice are one part
      .replace_ledger_part(table, rows, run_id, part)   a part that grows, for rows that come one by one
      .replace_run(run)                         the row of a run, again with what is known by now
      .stage(run_id, table, rows)               one whole table of the batch; empty tables are staged too
      .staged(run_id) -> {table name: path}
      .publish(run_id, published_at=...) -> Release
      .quarantine(run_id, gate_results) -> Path
      .current_release() -> Release | None
      .rows(table) -> tuple[Row, ...]           a table of the current release

    warehouse.gate.gate_run(home, run_id, at=...) -> tuple[GateResult, ...]

    warehouse.query.connect(home) -> duckdb connection, in memory, nothing outside the warehouse can be reached
    warehouse.query.query(home, sql) -> pyarrow.Table, SELECT only
    warehouse.catalogue.ensure_catalogue(home) -> Path

A run publishes like this:

    for table in CATALOGUE_TABLES: warehouse.stage(run_id, table, rows[table.name])
    results = gate_run(home, run_id, at=now)
    warehouse.append_ledger(GATE_RESULTS, results, run_id)
    if all(each.has_passed for each in results): release = warehouse.publish(run_id, published_at=now)
    else: raise GateRefused(..., quarantine=str(warehouse.quarantine(run_id, results)))

The balance of the stages is gated too, so append STAGE_COUNTS and ATTEMPTS before.
"""
