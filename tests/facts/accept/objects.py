"""Members of TPipe, TQue, TQueBind, TBuf, LocalTensor and GlobalTensor."""

# ruff: noqa: E501 - a check is one line

from __future__ import annotations

from .row import Row, table

_DEPTH = "pitfalls 9: in-place forms need depth 0, the others depth != 0"

QUEUES: tuple[Row, ...] = (
    *table(
        "overloads 2.8: TQueBind",
        """
        + AllocTensor : value : half : LocalTensor<half> t = que.AllocTensor<half>();
        - AllocTensor : no type : none : auto t = que.AllocTensor();
        - AllocTensor : argument : half : auto t = que.AllocTensor<half>(64);
        + DeQue : typed : half : LocalTensor<half> t = que.DeQue<half>();
        + DeQue : handle : none : TBufHandle h = que.DeQue();
        - DeQue : untyped tensor : half : LocalTensor<half> t = que.DeQue();
        + EnQue : deduced : half : que.EnQue(half_0);
        + EnQue : typed : half : que.EnQue<half>(half_0); bool ok = que.EnQue(half_0);
        + EnQue : sub-tensor : half : que.EnQue(half_0[16]);
        - EnQue : two tensors : half : que.EnQue(half_0, half_1);
        - EnQue : wrong type : half, float : que.EnQue<float>(half_0);
        + FreeTensor : lvalue : half : que.FreeTensor(half_0);
        - FreeTensor : temporary : half : que.FreeTensor(half_0[0]);
        - FreeTensor : const : half : const LocalTensor<half>& t = half_0; que.FreeTensor(t);
        - FreeTensor : nothing : none : que.FreeTensor();
        + VacantInQue : state : none : bool a = que.VacantInQue(); bool b = que.HasTensorInQue(); bool c = que.HasIdleBuffer();
        + GetTensorCountInQue : state : none : int32_t n = que.GetTensorCountInQue(); que.FreeAllEvent();
        - HasTensorInQue : const queue : none : const auto& q = que; bool b = q.HasTensorInQue();
        + TQueBind : value : half : auto t = bind.AllocTensor<half>(); bind.EnQue(t); t = bind.DeQue<half>(); bind.FreeTensor(t);
        + TQueBind : positions : half : bind.EnQue<TPosition::GM, TPosition::VECIN>(half_0); auto t = bind.DeQue<TPosition::GM, TPosition::VECIN, half>();
        - Push : invented member : half : que.Push(half_0);
        - Dequeue : invented member : half : auto t = que.Dequeue<half>();
        - Size : invented member : none : auto n = que.Size();
        """,
    ),
    *table(
        _DEPTH,
        """
        + AllocTensor : depth 0, in place : half : inPlace.AllocTensor<half>(half_0); inPlace.EnQue(half_0); inPlace.DeQue<half>(half_0);
        - AllocTensor : depth 1, in place : half : que.AllocTensor<half>(half_0);
        - DeQue : depth 1, in place : half : que.DeQue<half>(half_0);
        - AllocTensor : depth 0, value : half : auto t = inPlace.AllocTensor<half>();
        - DeQue : depth 0, value : half : auto t = inPlace.DeQue<half>();
        - VacantInQue : depth 0 : none : bool b = inPlace.VacantInQue();
        - HasTensorInQue : depth 0 : none : bool b = inPlace.HasTensorInQue();
        - GetTensorCountInQue : depth 0 : none : int32_t n = inPlace.GetTensorCountInQue();
        - HasIdleBuffer : depth 0 : none : bool b = inPlace.HasIdleBuffer();
        - FreeAllEvent : depth 0 : none : inPlace.FreeAllEvent();
        """,
    ),
    *table(
        "overloads 2.8, pitfalls 5: TPipe",
        """
        + InitBuffer : queue : none : pipe.InitBuffer(que, 2, 1024);
        + InitBuffer : buffer : none : pipe.InitBuffer(buf, 1024);
        + InitBuffer : wide length : none : int64_t n = 64; pipe.InitBuffer(que, 1, n * sizeof(half)); pipe.InitBuffer(buf, n);
        - InitBuffer : queue without number : none : pipe.InitBuffer(que, 1024);
        - InitBuffer : buffer with number : none : pipe.InitBuffer(buf, 2, 1024);
        - InitBuffer : tensor : half : pipe.InitBuffer(half_0, 1, 1024);
        - InitBuffer : length only : none : pipe.InitBuffer(1024);
        + AllocEventID : event : none : TEventID id = pipe.AllocEventID<HardEvent::MTE2_V>(); pipe.ReleaseEventID<HardEvent::MTE2_V>(id);
        + FetchEventID : template : none : auto id = pipe.FetchEventID<HardEvent::V_MTE3>();
        + FetchEventID : argument : none : auto id = GetTPipePtr()->FetchEventID(HardEvent::V_MTE3);
        - AllocEventID : no event : none : auto id = pipe.AllocEventID();
        + Destroy : lifetime : none : pipe.Destroy(); pipe.Init(); pipe.Reset();
        - AllocBuffer : invented member : none : pipe.AllocBuffer(que, 1, 1024);
        - InitBuf : invented member : none : pipe.InitBuf(buf, 1024);
        """,
    ),
    *table(
        "overloads 2.8: TBuf",
        """
        + Get : whole : half : LocalTensor<half> t = buf.Get<half>();
        + Get : length : half : LocalTensor<half> t = buf.Get<half>(64);
        + GetWithOffset : length, offset : half : LocalTensor<half> t = buf.GetWithOffset<half>(64, 128);
        - Get : no type : none : auto t = buf.Get();
        - Get : length, offset : half : auto t = buf.Get<half>(64, 128);
        - GetWithOffset : length : half : auto t = buf.GetWithOffset<half>(64);
        + TBuf : queue stubs : half : auto t = buf.AllocTensor<half>(); buf.EnQue<half>(t); t = buf.DeQue<half>(); buf.FreeTensor(t);
        - AllocTensor : in place : half : buf.AllocTensor<half>(half_0);
        + TBuf : default position : half : TBuf<> b; auto t = b.Get<half>();
        - GetTensor : invented member : half : auto t = buf.GetTensor<half>();
        """,
    ),
)

TENSORS: tuple[Row, ...] = (
    *table(
        "overloads 2.8, csv: LocalTensor",
        """
        + LocalTensor : sizes : half : uint32_t n = half_0.GetSize() + half_0.GetLength(); half_0.SetSize(16); int32_t p = half_0.GetPosition();
        + GetValue : element : half : half v = half_0.GetValue(3);
        + SetValue : same type : half : half_0.SetValue(3, static_cast<half>(1.0f));
        + SetValue : convertible : float : float_0.SetValue(3, 1); float_0.SetValue(3, 1.0);
        + operator() : element : float : float_0(3) = 1.0f; float v = float_0(3);
        + operator[] : offset : float : LocalTensor<float> t = float_0[16]; t = float_0[16][16];
        + ReinterpretCast : type : half : LocalTensor<uint16_t> t = half_0.ReinterpretCast<uint16_t>();
        + ReinterpretCast : chained : half : Not(half_0.ReinterpretCast<uint16_t>(), half_1[16].ReinterpretCast<uint16_t>(), 64);
        + GetPhyAddr : C style cast : float : __ubuf__ float* p = (__ubuf__ float*)float_0.GetPhyAddr(); p = (__ubuf__ float*)float_0.GetPhyAddr(16);
        + SetUserTag : tag : half : half_0.SetUserTag(1); auto tag = half_0.GetUserTag();
        + SetShapeInfo : shape : half : uint32_t dims[8] = {4, 16}; half_0.SetShapeInfo(ShapeInfo(2, dims)); auto s = half_0.GetShapeInfo();
        + LocalTensor : position, address, size : half : LocalTensor<half> t(TPosition::VECIN, 0, 64);
        + SetValue : const tensor : half : const LocalTensor<half>& t = half_0; t.SetValue(0, static_cast<half>(1.0f));
        - SetValue : no value : half : half_0.SetValue(3);
        - GetValue : no index : half : half v = half_0.GetValue();
        - ReinterpretCast : no type : half : auto t = half_0.ReinterpretCast();
        - LocalTensor : another type : half, float : LocalTensor<half> t = float_0;
        - LocalTensor : assignment of another type : half, float : half_0 = float_0;
        - GetShape : invented member : half : auto s = half_0.GetShape();
        - data : invented member : half : auto p = half_0.data();
        - Size : invented member : half : auto n = half_0.Size();
        """,
    ),
    *table(
        "overloads 2.8, csv: GlobalTensor",
        """
        + SetGlobalBuffer : address : half : ghalf_0.SetGlobalBuffer((__gm__ half*)address);
        + SetGlobalBuffer : address, size : half : ghalf_0.SetGlobalBuffer((__gm__ half*)address + 16, 64);
        + SetGlobalBuffer : reinterpret_cast : half : ghalf_0.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(address), 64);
        - SetGlobalBuffer : GM_ADDR : half : ghalf_0.SetGlobalBuffer(address);
        - SetGlobalBuffer : another type : half, float : ghalf_0.SetGlobalBuffer((__gm__ float*)address);
        - SetGlobalBuffer : nothing : half : ghalf_0.SetGlobalBuffer();
        + GlobalTensor : elements : float : float v = gfloat_0.GetValue(3); gfloat_0.SetValue(3, v); gfloat_0(4) = v;
        + GlobalTensor : sizes, offset : float : uint64_t n = gfloat_0.GetSize(); GlobalTensor<float> t = gfloat_0[16];
        + GetPhyAddr : const pointer : half : const __gm__ half* p = ghalf_0.GetPhyAddr();
        + GetPhyAddr : offset : half : __gm__ half* p = ghalf_0.GetPhyAddr(16);
        - half : pointer to const dropped : half : __gm__ half* p = ghalf_0.GetPhyAddr();
        + SetL2CacheHint : mode : half : ghalf_0.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
        - ReinterpretCast : global : half : auto t = ghalf_0.ReinterpretCast<uint16_t>();
        - SetValue : const tensor : half : const GlobalTensor<half>& t = ghalf_0; t.SetValue(0, static_cast<half>(1.0f));
        - GlobalTensor : another type : half, float : GlobalTensor<half> t = gfloat_0;
        - GlobalTensor : address in constructor : half : GlobalTensor<half> t(address);
        - Read : invented member : half : auto v = ghalf_0.Read(0);
        """,
    ),
)
