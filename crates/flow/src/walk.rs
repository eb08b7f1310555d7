//! The walk that numbers a body.

use std::ops::Range;

use cranelift_entity::EntityRef;
use cranelift_entity::packed_option::PackedOption;
use flambeau_ir::stack::deep;
use flambeau_ir::{ApplyCont, Continuation, Expr, Item, Terminator, Variable};
use smallvec::SmallVec;

use crate::{Block, BlockData, Edge, EdgeKind, Flow, Loop, LoopData, Point, Run, RunData, RunKind, Visitor};

/// Numbers a body. The tables are empty.
pub fn walk<'e>(flow: &mut Flow, body: &'e Expr, visitor: &mut impl Visitor<'e>) {
    let block = flow.blocks.push(BlockData {
        cont: None,
        params: SmallVec::new(),
        is_exn: false,
        header_of: None.into(),
        bound_in: Run::new(0),
        bound_at: 0,
        code: Run::new(0),
        start: 0,
        used_from: 0,
        used_to: 0,
        in_try: None.into(),
        incoming: 0..0,
    });
    let mut walk = Walk { flow, visitor, block, in_loop: None.into(), in_try: None.into() };
    walk.run(body, None, RunKind::Body, 0, true);
}

struct Walk<'w, V> {
    flow: &'w mut Flow,
    visitor: &'w mut V,
    block: Block,
    in_loop: PackedOption<Loop>,
    in_try: PackedOption<Block>,
}

impl<'e, V: Visitor<'e>> Walk<'_, V> {
    fn next(&mut self) -> u32 {
        self.flow.positions += 1;
        self.flow.positions
    }

    fn point(&mut self, run: Run) -> Point {
        Point { run, block: self.block, position: self.next() }
    }

    fn add_run(&mut self, parent: Option<Run>, kind: RunKind, at: u32) -> Run {
        let start = self.next();
        let depth = parent.map_or(0, |parent| {
            let data = &mut self.flow.runs[parent];
            data.children.end += 1;
            data.depth + 1
        });
        let next = self.flow.runs.len() as u32 + 1;
        self.flow.runs.push(RunData {
            kind,
            parent: parent.into(),
            depth,
            at,
            block: self.block,
            in_loop: self.in_loop,
            in_try: self.in_try,
            start,
            terminator: start,
            end: start + 1,
            end_run: next,
            children: 0..0,
            arms: 0,
        })
    }

    /// A term. `begins`: the current block begins where it does.
    fn run(&mut self, expr: &'e Expr, parent: Option<Run>, kind: RunKind, at: u32, begins: bool) -> Run {
        let run = self.add_run(parent, kind, at);
        if begins {
            self.begin(run, self.flow.runs[run].start);
        }
        deep(|| {
            for (index, item) in expr.items.iter().enumerate() {
                self.item(item, index, run);
            }
            self.terminator(&expr.terminator, run);
        });
        let (end_run, end) = (self.flow.runs.len() as u32, self.flow.positions + 1);
        let data = &mut self.flow.runs[run];
        (data.end_run, data.end) = (end_run, end);
        run
    }

    /// The code of the current block begins.
    fn begin(&mut self, run: Run, position: u32) {
        let data = &mut self.flow.blocks[self.block];
        (data.code, data.start) = (run, position);
        let at = Point { run, block: self.block, position };
        self.visitor.block(self.flow, at, &self.flow.blocks[self.block]);
    }

    fn bind(&mut self, cont: Continuation, params: &[Variable], run: Run, at: u32) -> Block {
        let block = self.flow.blocks.push(BlockData {
            cont: Some(cont),
            params: params.into(),
            is_exn: false,
            header_of: None.into(),
            bound_in: run,
            bound_at: at,
            code: run,
            start: at,
            used_from: at,
            used_to: u32::MAX,
            in_try: self.in_try,
            incoming: 0..0,
        });
        self.flow.block_of[cont] = block.into();
        block
    }

    fn item(&mut self, item: &'e Item, index: usize, run: Run) {
        let at = self.point(run);
        self.visitor.item(self.flow, at, index, item);
        match item {
            Item::Let { named, .. } => {
                if let Some(exn) = named.exn() {
                    self.edge(exn.cont, at, EdgeKind::Raise);
                }
            }
            Item::LetClosures { .. } => {}
            Item::Join { cont, params, body } => {
                let block = self.bind(*cont, params, run, at.position);
                self.run(body, Some(run), RunKind::Join, at.position, false);
                self.flow.blocks[block].used_to = self.flow.positions + 1;
                self.block = block;
                let position = self.next();
                self.begin(run, position);
            }
            Item::LetCont { recursive, handlers } => {
                let first = self.flow.blocks.len() as u32;
                for handler in handlers {
                    self.bind(handler.cont, &handler.params, run, at.position);
                }
                let headers = first..self.flow.blocks.len() as u32;
                let entered = recursive.then(|| self.add_loop(headers.clone(), run, at.position));
                let (block, in_loop) = (self.block, self.in_loop);
                let mut kind = RunKind::Handler;
                if let Some(entered) = entered {
                    kind = RunKind::Loop(entered);
                    self.in_loop = entered.into();
                }
                for (handler, block) in handlers.iter().zip(headers.clone()) {
                    self.block = Block::new(block as usize);
                    self.run(&handler.body, Some(run), kind, at.position, true);
                }
                (self.block, self.in_loop) = (block, in_loop);
                if let Some(entered) = entered {
                    self.flow.loops[entered].runs.end = self.flow.runs.len() as u32;
                } else {
                    let from = self.flow.positions + 1;
                    headers.for_each(|block| self.flow.blocks[Block::new(block as usize)].used_from = from);
                }
            }
        }
    }

    fn add_loop(&mut self, headers: Range<u32>, run: Run, at: u32) -> Loop {
        let parent = self.in_loop;
        let depth = parent.expand().map_or(0, |parent| self.flow.loops[parent].depth + 1);
        let first = self.flow.runs.len() as u32;
        let blocks = headers.clone();
        let data = LoopData { parent, depth, bound_in: run, bound_at: at, headers, runs: first..first };
        let entered = self.flow.loops.push(data);
        blocks.for_each(|block| self.flow.blocks[Block::new(block as usize)].header_of = entered.into());
        entered
    }

    fn edge(&mut self, cont: Continuation, from: Point, kind: EdgeKind) {
        let to = self.flow.block_of[cont];
        if let Some(to) = to.expand() {
            self.flow.blocks[to].incoming.end += 1;
        }
        self.flow.edges.push(Edge { from, to, kind });
    }

    fn arm(&mut self, jump: &'e ApplyCont, run: Run, at: u32) {
        let arm = self.add_run(Some(run), RunKind::Arm, at);
        self.flow.runs[run].arms += 1;
        let at = Point { run: arm, block: self.block, position: self.flow.positions };
        self.visitor.arm(self.flow, at, jump);
        self.edge(jump.cont, at, EdgeKind::Jump);
    }

    fn terminator(&mut self, terminator: &'e Terminator, run: Run) {
        let at = self.point(run);
        self.flow.runs[run].terminator = at.position;
        self.visitor.terminator(self.flow, at, terminator);
        match terminator {
            Terminator::ApplyCont(jump) => self.edge(jump.cont, at, EdgeKind::Jump),
            Terminator::Apply(apply) => {
                self.edge(apply.ret, at, EdgeKind::Return);
                self.edge(apply.exn.cont, at, EdgeKind::Raise);
            }
            Terminator::Raise { handler, .. } => self.edge(handler.cont, at, EdgeKind::Raise),
            Terminator::Switch(switch) => switch.for_each_jump(&mut |jump| self.arm(jump, run, at.position)),
            Terminator::StringSwitch(switch) => {
                switch.for_each_jump(&mut |jump| self.arm(jump, run, at.position));
            }
            Terminator::Try { body, handler } => {
                self.edge(handler.cont, at, EdgeKind::Try);
                let inner = self.flow.block_of[handler.cont];
                if let Some(inner) = inner.expand() {
                    self.flow.blocks[inner].is_exn = true;
                }
                let outer = std::mem::replace(&mut self.in_try, inner);
                self.run(body, Some(run), RunKind::Try, at.position, false);
                self.in_try = outer;
            }
            Terminator::Unreachable => {}
        }
    }
}
